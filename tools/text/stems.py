"""Stemming: the content words of a text in a common form, so that texts can be compared."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from .words import tokenize_text

if TYPE_CHECKING:
    from collections.abc import Iterable

_SUFFIXES = (
    "ations",
    "ation",
    "ings",
    "ing",
    "ions",
    "ion",
    "ors",
    "ers",
    "ies",
    "or",
    "er",
    "ed",
    "es",
    "ly",
    "s",
    "e",
    "y",
)
_MIN_STEM_LENGTH = 4
"""Minimum length of a stem; a suffix is not removed from a shorter one."""
_UNSPACED_SCRIPT = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
"""Thai, Japanese, Chinese, Korean: scripts without spaces between words, compared by bigrams."""
QUOTED_NAME = re.compile(r"[\"\u201c]([^\"\u201d\n]{1,80})[\"\u201d]|`([^`\n]{1,80})`")
"""Quoted text or code in backticks, taken as one name."""
_QUOTATION_MARK = re.compile('["`\u201c\u201d\u201e\u00ab\u00bb]')


@dataclass(frozen=True, slots=True)
class Terms:
    """Terms of a text: `words` maps stems to original words; `names` are from code or quotes."""

    words: dict[str, str]
    names: tuple[str, ...]


def extract_terms(text: str, ignore: frozenset[str] = frozenset()) -> Terms:
    """Extract the terms of a text.

    Args:
        text: any text.
        ignore: stop words in lower case.
    """
    quotes = [first or second for first, second in QUOTED_NAME.findall(text)]
    rest = QUOTED_NAME.sub(" ", text)
    cut = tokenize_text(rest)
    names = [*quotes, *(word for word, name in zip(cut.words, cut.is_name, strict=True) if name)]
    words: dict[str, str] = {}
    for word, name in zip(cut.words, cut.is_name, strict=True):
        if not name and word not in ignore:
            for part in _split_unspaced(word):
                words.setdefault(stem_word(part), part)
    return Terms(words, tuple(dict.fromkeys(normalize_name(name) for name in names)))


def list_terms(text: str, ignore: frozenset[str] = frozenset()) -> tuple[str, ...]:
    """List the stems of the words and the names of a text in order; quotation marks are ignored.

    Args:
        text: any text.
        ignore: stop words in lower case.
    """
    cut = tokenize_text(_QUOTATION_MARK.sub(" ", text))
    terms: list[str] = []
    for word, name in zip(cut.words, cut.is_name, strict=True):
        if name:
            terms.append(normalize_name(word))
        elif word not in ignore:
            terms += (stem_word(part) for part in _split_unspaced(word))
    return tuple(terms)


def stem_words(text: str) -> frozenset[str]:
    """Return the stems of all words, also those within names (`SessionManager`: session, manager)."""
    apart = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", text)
    plain = re.findall(r"[^\W_]+", f"{text} {apart}".lower())
    return frozenset(stem_word(part) for word in plain for part in _split_unspaced(word))


def normalize_name(name: str) -> str:
    """Normalize a name: `Store.close()` and "store.close" are the same."""
    return name.strip("`'\" ").removesuffix("()").lower()


@lru_cache(maxsize=8192)
def stem_word(word: str) -> str:
    """Stem a word: "parser", "parsing" and "parses" have one stem; a crude suffix stripper."""
    for ending in _SUFFIXES:
        if word.endswith(ending) and len(word) - len(ending) >= _MIN_STEM_LENGTH and not word.endswith("ss"):
            return word.removesuffix(ending)
    return word


def intersect_stems(one: Iterable[str], other: frozenset[str]) -> frozenset[str]:
    """Return the common stems."""
    return frozenset(one) & other


def _split_unspaced(word: str) -> tuple[str, ...]:
    if _UNSPACED_SCRIPT.search(word):
        return tuple(word[at : at + 2] for at in range(max(1, len(word) - 1)))
    return (word,)
