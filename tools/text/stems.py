"""The words of a text that carry its meaning, brought to a common form so that two texts can be compared."""

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
"""No ending is taken off a word that would become shorter than this."""
_UNSPACED_SCRIPT = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
"""Thai, Japanese, Chinese, Korean: scripts whose words no spaces part, compared by pairs of letters."""
QUOTED_NAME = re.compile(r"[\"\u201c]([^\"\u201d\n]{2,80})[\"\u201d]|`([^`\n]{2,80})`")
"""What a person put in quotation marks or backticks: one name, whatever is in it."""


@dataclass(frozen=True, slots=True)
class Terms:
    """What a text names: `words` by stem, with the word each came from; `names` of things in code or quotes."""

    words: dict[str, str]
    names: tuple[str, ...]


def extract_terms(text: str, ignore: frozenset[str] = frozenset()) -> Terms:
    """What a text names.

    Args:
        text: any text.
        ignore: words in lower case that carry no meaning.
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


def stem_words(text: str) -> frozenset[str]:
    """The stems of all words of a text, those inside its names too (`SessionManager` is also session and manager)."""
    apart = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", text)
    plain = re.findall(r"[^\W_]+", f"{text} {apart}".lower())
    return frozenset(stem_word(part) for word in plain for part in _split_unspaced(word))


def normalize_name(name: str) -> str:
    """A name without the marks around it: `Store.close()` and "store.close" are one."""
    return name.strip("`'\" ").removesuffix("()").lower()


@lru_cache(maxsize=8192)
def stem_word(word: str) -> str:
    """A word's common form: "parser", "parsing" and "parses" are one; crude, and the same on both sides."""
    for ending in _SUFFIXES:
        if word.endswith(ending) and len(word) - len(ending) >= _MIN_STEM_LENGTH and not word.endswith("ss"):
            return word.removesuffix(ending)
    return word


def intersect_stems(one: Iterable[str], other: frozenset[str]) -> frozenset[str]:
    """What both hold."""
    return frozenset(one) & other


def _split_unspaced(word: str) -> tuple[str, ...]:
    if _UNSPACED_SCRIPT.search(word):
        return tuple(word[at : at + 2] for at in range(max(1, len(word) - 1)))
    return (word,)
