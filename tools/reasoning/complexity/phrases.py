"""Matcher that finds the phrases of word lists in a text."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from aurora.tools.text import TokenizedText

    from .params import WordList

_WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)?\*?")


class PhraseMatch(NamedTuple):
    """Match of a phrase at the index of a word."""

    group: str
    position: int
    length: int
    phrase: str


class _Phrase(NamedTuple):
    """Phrase of a group; a trailing `*` of a part matches any ending."""

    parts: tuple[str, ...]
    group: str


class _Continuations(NamedTuple):
    """Phrases that begin with one word, by what must follow it.

    Attributes:
        alone: groups of which the word alone is a phrase.
        by_second: second word -> phrases.
        by_stem: phrases with a stem as the second part.
    """

    alone: tuple[str, ...]
    by_second: dict[str, tuple[_Phrase, ...]]
    by_stem: tuple[_Phrase, ...]


class PhraseMatcher:
    """Matcher of phrases, indexed by their first word.

    Args:
        lists: group name -> its words and phrases; a trailing `*` matches any ending.
        known: known words that are no signal.
    """

    def __init__(self, lists: Iterable[tuple[str, WordList]], known: WordList = ()) -> None:
        self._known_words = frozenset(word.lower() for word in _split_words(known))
        self._exact: dict[str, list[_Phrase]] = {}
        self._stems: dict[str, list[_Phrase]] = {}
        for group, phrases in lists:
            for phrase in _split_words(phrases):
                parts = tuple(_WORD.findall(phrase.lower().replace("\u2019", "'")))
                if parts:
                    table = self._stems if parts[0].endswith("*") else self._exact
                    table.setdefault(parts[0].rstrip("*"), []).append(_Phrase(parts, group))
        self._stem_lengths = sorted({len(stem) for stem in self._stems})
        self._begin_word = lru_cache(maxsize=4096)(self._find_word_phrases)
        self._begin_name = lru_cache(maxsize=4096)(self._find_name_phrases)

    def find_matches(self, text: TokenizedText) -> Iterator[PhraseMatch]:
        """Find the phrases in the text; per group the longest at a position, without overlaps."""
        taken: dict[str, int] = {}
        for at, word in enumerate(text.words):
            begun = self._begin_name(word) if text.is_name[at] else self._begin_word(word)
            if begun is None:
                continue
            for group, length in _select_longest(begun, at, text).items():
                if taken.get(group, 0) <= at:
                    taken[group] = at + length
                    phrase = word if length == 1 else " ".join(text.words[at : at + length])
                    yield PhraseMatch(group, at, length, phrase)

    def is_known(self, word: str) -> bool:
        """Return whether the word is known, or begins a phrase of any list."""
        return word in self._known_words or self._begin_word(word) is not None

    def _find_word_phrases(self, word: str) -> _Continuations | None:
        phrases = list(self._exact.get(word, ()))
        for length in self._stem_lengths:
            if length <= len(word):
                phrases += self._stems.get(word[:length], ())
        return _index_phrases(phrases)

    def _find_name_phrases(self, name: str) -> _Continuations | None:
        """Find no stems: AuthenticationMiddleware names a class, and its beginning is no word."""
        return _index_phrases(self._exact.get(name, ()))


def _index_phrases(phrases: Sequence[_Phrase]) -> _Continuations | None:
    """Index phrases with the same first word by their second; None without a phrase."""
    if not phrases:
        return None
    longer = [phrase for phrase in phrases if len(phrase.parts) > 1]
    by_second: dict[str, tuple[_Phrase, ...]] = {}
    for phrase in longer:
        by_second[phrase.parts[1]] = (*by_second.get(phrase.parts[1], ()), phrase)
    return _Continuations(
        alone=tuple(phrase.group for phrase in phrases if len(phrase.parts) == 1),
        by_second=by_second,
        by_stem=tuple(phrase for phrase in longer if phrase.parts[1].endswith("*")),
    )


def _split_words(words: WordList) -> tuple[str, ...]:
    return tuple(word.strip() for word in words.split(",")) if isinstance(words, str) else words


def _select_longest(begun: _Continuations, at: int, text: TokenizedText) -> dict[str, int]:
    """Select the length of the longest phrase at a position, by group."""
    best = dict.fromkeys(begun.alone, 1)
    following = text.words[at + 1] if at + 1 < len(text.words) else ""
    longer = begun.by_second.get(following, ())
    for parts, group in (*longer, *begun.by_stem) if begun.by_stem else longer:
        if len(parts) > best.get(group, 0) and _is_phrase_at(parts, at, text):
            best[group] = len(parts)
    return best


def _is_phrase_at(parts: tuple[str, ...], at: int, text: TokenizedText) -> bool:
    """Return whether all parts of a phrase are at this position, in one clause."""
    end = at + len(parts)
    if end > len(text.words) or text.clause[at] != text.clause[end - 1]:
        return False
    for offset in range(1, len(parts)):
        part, word = parts[offset], text.words[at + offset]
        if word != part and not (part.endswith("*") and word.startswith(part[:-1])):
            return False
    return True
