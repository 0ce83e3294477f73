"""Labels of themes: words that are frequent in one and rare in the others."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from math import log
from typing import TYPE_CHECKING

from aurora.memory.text_index.tokenizer import find_identifiers, split_identifier, stem_word

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aurora.memory.model import Chunk

MAX_WORDS = 4
_WORD = re.compile(r"[^\W\d_]{3,40}")
_STOP_WORD_TEXT = """
about after all also always and any are because been before being but can could did does each every first for from
had has have her here his how into its just last let like made make may more most much must never new not now off
one only other our out over own same see should since some such take than that the their them then there these they
this those through too two use used very was way were what when where which while who whose why will with without
would you your answer files goal question subgoals
"""
_STOP_WORDS = frozenset(_STOP_WORD_TEXT.split())
"""Stop words, and words that occur in every pattern."""


def label_groups(groups: Sequence[Sequence[Chunk]]) -> list[tuple[str, ...]]:
    """Label each group with its most distinctive words.

    By class-based TF-IDF: tf * ln(1 + A / f), tf the word's share in the group, A the mean number of words of a group,
    f how often the word occurs in all (Grootendorst 2022, "BERTopic"). Words of one stem count as one.
    """
    counts = [_count_stems(group) for group in groups]
    every = sum((stems for stems, _ in counts), Counter[str]())
    mean = sum(every.values()) / max(len(groups), 1)
    labels = []
    for stems, forms in counts:
        total = max(sum(stems.values()), 1)
        scored = sorted((-(count / total) * log(1 + mean / every[stem]), stem) for stem, count in stems.items())
        labels.append(tuple(_choose_form(forms[stem]) for _, stem in scored[:MAX_WORDS]))
    return labels


def _choose_form(forms: Counter[str]) -> str:
    """Return the most frequent form of a stem."""
    return min(forms, key=lambda form: (-forms[form], form))


def _count_stems(group: Sequence[Chunk]) -> tuple[Counter[str], dict[str, Counter[str]]]:
    """Count the members that contain each stem, and its word forms."""
    stems: Counter[str] = Counter()
    forms: dict[str, Counter[str]] = defaultdict(Counter)
    for chunk in group:
        seen = set()
        for found in _WORD.findall(_extract_text(chunk)):
            word = found.lower()
            if word not in _STOP_WORDS:
                forms[stem_word(word)][word] += 1
                seen.add(stem_word(word))
        stems.update(seen)
    return stems, forms


def _extract_text(chunk: Chunk) -> str:
    """Extract the text to label by; for code only symbol and path, since code shares words."""
    if chunk.type != "code":
        return f"{chunk.symbol}\n{chunk.text}"
    return " ".join(
        part for name in find_identifiers(f"{chunk.symbol} {chunk.path}") for part in split_identifier(name)
    )
