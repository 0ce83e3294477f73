"""Matcher that finds the phrases of word lists in a text."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from aurora.tools.text import TokenizedText

Phrase = tuple[tuple[str, ...], str]
"""Words of a phrase, and its group."""

_WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)?\*?")


class PhraseMatch(NamedTuple):
    """Match of a phrase at the index of a word."""

    group: str
    position: int
    length: int
    phrase: str


class PhraseMatcher:
    """Matcher of phrases, indexed by their first word.

    Args:
        lists: group name -> its words and phrases; a trailing `*` matches any ending.
        known: known words that are no signal.
    """

    def __init__(self, lists: Iterable[tuple[str, Iterable[str]]], known: Iterable[str] = ()) -> None:
        self._known_words = frozenset(word.lower() for word in known)
        self._exact: dict[str, list[Phrase]] = {}
        self._stems: dict[str, list[Phrase]] = {}
        for group, phrases in lists:
            for phrase in phrases:
                parts = tuple(_WORD.findall(phrase.lower().replace("\u2019", "'")))
                if parts:
                    table = self._stems if parts[0].endswith("*") else self._exact
                    table.setdefault(parts[0].rstrip("*"), []).append((parts, group))
        self._stem_lengths = sorted({len(stem) for stem in self._stems})
        self._cached_phrases = lru_cache(maxsize=4096)(self._find_phrases)

    def find_matches(self, text: TokenizedText) -> Iterator[PhraseMatch]:
        """Find the phrases in the text; per group the longest at a position, without overlaps."""
        taken: dict[str, int] = {}
        for at, word in enumerate(text.words):
            if phrases := self._cached_phrases(word, text.is_name[at]):
                yield from _select_longest(phrases, at, text, taken)

    def is_known(self, word: str) -> bool:
        """Return whether the word is known, or begins a phrase of any list."""
        return word in self._known_words or bool(self._cached_phrases(word, 0))

    def _find_phrases(self, word: str, is_name: int) -> tuple[Phrase, ...]:
        exact = self._exact.get(word, [])
        if is_name:
            return tuple(exact)  # AuthenticationMiddleware names a class: its beginning is no word
        stems = (self._stems.get(word[:length], []) for length in self._stem_lengths if length <= len(word))
        return (*exact, *(phrase for phrases in stems for phrase in phrases))


def _select_longest(
    phrases: Iterable[Phrase], at: int, text: TokenizedText, taken: dict[str, int]
) -> Iterator[PhraseMatch]:
    best: dict[str, int] = {}
    following = text.words[at + 1] if at + 1 < len(text.words) else ""
    for parts, group in phrases:
        if len(parts) > 1 and parts[1] != following and not parts[1].endswith("*"):
            continue  # this rejects most phrases, so that a query takes under a millisecond
        if len(parts) > best.get(group, 0) and taken.get(group, 0) <= at and _is_phrase_at(parts, at, text):
            best[group] = len(parts)
    for group, length in best.items():
        taken[group] = at + length
        yield PhraseMatch(group, at, length, " ".join(text.words[at : at + length]))


def _is_phrase_at(parts: tuple[str, ...], at: int, text: TokenizedText) -> bool:
    """Return whether all parts of a phrase are at this position, in one clause."""
    end = at + len(parts)
    if len(parts) == 1:
        return True
    if end > len(text.words) or text.clause[at] != text.clause[end - 1]:
        return False
    return all(
        word == part or (part.endswith("*") and word.startswith(part[:-1]))
        for part, word in zip(parts[1:], text.words[at + 1 : end], strict=True)
    )
