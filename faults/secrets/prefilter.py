"""Prefilter that finds in one pass which of many short marks a text contains."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ahocorasick_rs import AhoCorasick, Implementation

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_PART_CHARS = 1 << 16
"""Characters searched at once: the matches of a part are a list, at worst of some 10 MB."""


class SecretPrefilter:
    """Prefilter for a set of marks: an Aho-Corasick automaton for those with case, and one for the others.

    Args:
        exact: case-sensitive marks.
        folded: case-insensitive marks in lower case; one that is in both is case-insensitive.
    """

    def __init__(self, exact: Iterable[str], folded: Iterable[str]) -> None:
        folded = tuple(folded)
        exact = tuple(mark for mark in exact if mark not in folded)
        self._exact = _MarkFinder(exact)
        self._folded = _MarkFinder(folded)

    def find_possible(self, text: str) -> frozenset[str]:
        """Find the marks that the text contains."""
        return frozenset({*self._exact.iter_marks(text), *self._folded.iter_marks(text.lower())})


class _MarkFinder:
    """Automaton of some marks."""

    def __init__(self, marks: tuple[str, ...]) -> None:
        self._marks = marks
        self._overlap = max(map(len, marks), default=1) - 1
        self._automaton = AhoCorasick(marks, implementation=Implementation.DFA, store_patterns=False)

    def iter_marks(self, text: str) -> Iterator[str]:
        """Yield the marks that occur in the text, some of them more than once."""
        for start in range(0, len(text), _PART_CHARS):
            part = text[start : start + _PART_CHARS + self._overlap]
            for number in {found[0] for found in _find_matches(self._automaton, part)}:
                yield self._marks[number]


def _find_matches(automaton: AhoCorasick, text: str) -> list[tuple[int, int, int]]:
    try:
        return automaton.find_matches_as_indexes(text, overlapping=True)
    except UnicodeEncodeError:  # half of a character, which no mark contains
        return automaton.find_matches_as_indexes(text.encode("utf-8", "replace").decode(), overlapping=True)
