"""Near-duplicate detection by words, by embeddings, or by subject and time."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from itertools import pairwise
from math import ceil
from typing import TYPE_CHECKING

import numpy as np

from aurora.memory.embeddings import DIMENSIONS, normalize_rows
from aurora.memory.text_index.tokenizer import extract_terms

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .records import StoredRecord

SimilarityLinks = dict[str, dict[str, float]]
"""Id -> the linked ids with their scores from 0 to 1, in both directions."""

_NUMBER = re.compile(r"\d+(?:[.:,/-]\d+)*")
_NEGATION = re.compile(r"\b(?:no|not|never|none|nor|cannot|without)\b|n['\u2019]t\b", re.IGNORECASE)
_NAME = re.compile(r"`[^`\n]+`|\b\w+(?:[_./:-]+\w+)+|\b[a-z]+[A-Z]\w*|\b[A-Z][a-z]+[A-Z]\w*")
_BLOCK_ROWS = 1024
_EPSILON = 1e-9
"""Rounding: 0.7 * 10 is slightly above 7."""


def extract_distinctions(record: StoredRecord) -> tuple[object, ...]:
    """Extract what two records must share to be duplicates.

    "port 8080" and "port 9090" differ in one word and mean something else.

    Numbers and negations count in all records; in facts also names, and the words of the subject that the text lacks.
    A pattern from two runs cites other files each time and is still one pattern.
    """
    chunk = record.chunk
    both = f"{chunk.symbol}\n{chunk.text}"
    common = (frozenset(_NUMBER.findall(both)), len(_NEGATION.findall(chunk.text)))
    if chunk.type == "reas":
        return common
    about = frozenset(extract_terms(chunk.symbol)) - frozenset(extract_terms(chunk.text))
    return (*common, frozenset(_NAME.findall(both)), about)


def extract_shingles(text: str) -> frozenset[tuple[str, ...]]:
    """Extract the pairs of neighbouring words; a single word is its own pair."""
    words = extract_terms(text)
    return frozenset(pairwise(words)) or frozenset((word,) for word in words)


def link_by_words(group: Sequence[StoredRecord], least: float) -> SimilarityLinks:
    """Link all pairs whose shingles have a Jaccard index of at least `least`.

    Prefix filtering: two sets reach the index only if the rarest members of both overlap, of a set of size n the first
    n - ceil(least * n) + 1 in order of rarity (Bayardo, Ma and Srikant 2007, "Scaling Up All Pairs Similarity
    Search"). This compares few pairs and misses none.
    """
    sets = {record.chunk.id: extract_shingles(record.chunk.text) for record in group}
    frequency = Counter(member for members in sets.values() for member in members)
    links: SimilarityLinks = defaultdict(dict)
    seen: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for id_, own in sets.items():
        ordered = sorted(own, key=lambda member: (frequency[member], member))
        first = ordered[: len(own) - ceil(least * len(own) - _EPSILON) + 1]
        for other in dict.fromkeys(name for member in first for name in seen[member]):
            score = len(own & sets[other]) / len(own | sets[other])
            if score >= least:
                links[id_][other] = links[other][id_] = score
        for member in first:
            seen[member].append(id_)
    return links


def link_by_meaning(group: Sequence[StoredRecord], least: float, vectors: Mapping[str, bytes]) -> SimilarityLinks:
    """Link the pairs whose embeddings have a cosine of at least `least`.

    A record without an embedding has no links.
    """
    ids = [record.chunk.id for record in group if record.chunk.id in vectors]
    links: SimilarityLinks = defaultdict(dict)
    if not ids:
        return links
    rows = normalize_rows(np.frombuffer(b"".join(vectors[id_] for id_ in ids), np.int8).reshape(-1, DIMENSIONS))
    for start in range(0, len(ids), _BLOCK_ROWS):
        cosines = rows[start : start + _BLOCK_ROWS] @ rows.T
        for row, column in zip(*np.nonzero(cosines >= least), strict=True):
            if start + row < column:
                score = min(float(cosines[row, column]), 1.0)
                links[ids[start + row]][ids[column]] = links[ids[column]][ids[start + row]] = score
    return links


def link_by_time(group: Sequence[StoredRecord], window: float) -> SimilarityLinks:
    """Link the pairs with one subject and at most `window` seconds between them."""
    links: SimilarityLinks = defaultdict(dict)
    subjects: dict[str, list[tuple[float, str]]] = defaultdict(list)
    for record in group:
        subject = " ".join(record.chunk.symbol.casefold().split())
        if subject and record.at is not None:
            subjects[subject].append((record.at, record.chunk.id))
    for entries in subjects.values():
        ordered = sorted(entries)
        for place, (at, id_) in enumerate(ordered):
            for later, other in ordered[place + 1 :]:
                if later - at > window:
                    break
                score = 1 - (later - at) / window / 2
                links[id_][other] = links[other][id_] = score
    return links
