"""Forms of one word: a subgoal seldom repeats the form that the question has."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

from aurora.tools.text import stem_words

if TYPE_CHECKING:
    from collections.abc import Collection

_MIN_PREFIX = 4
"""Letters that two forms of a word have in common at least, as "grow" and "growth"."""
_MIN_CONTAINED = 5
"""Letters of a word within another one, as "healthy" in "unhealthy"."""
_SAME_PREFIX = 0.75
"""Share of the longer word that two forms have in common, as "atomically" and "atomicity"."""
_IRREGULAR = {
    "bound": "bind",
    "broken": "break",
    "built": "build",
    "caught": "catch",
    "chosen": "choose",
    "drawn": "draw",
    "driven": "drive",
    "fell": "fall",
    "found": "find",
    "given": "give",
    "held": "hold",
    "hidden": "hide",
    "kept": "keep",
    "lost": "lose",
    "made": "make",
    "meant": "mean",
    "paid": "pay",
    "ran": "run",
    "sent": "send",
    "shown": "show",
    "taken": "take",
    "thrown": "throw",
    "threw": "throw",
    "woken": "wake",
    "written": "write",
}
"""Irregular forms of verbs that questions about code have."""


def has_form(term: str, others: Collection[str]) -> bool:
    """Return whether a stem or another form of it is among others, as "sent" and "send"."""
    if term in others:
        return True
    plain = _IRREGULAR.get(term, term)
    return any(_is_form(plain, _IRREGULAR.get(other, other)) for other in others)


def is_covered(term: str, covered: Collection[str]) -> bool:
    """Return whether a term, each part of a name, or another form of a word is covered."""
    return term in covered or stem_words(term) <= {*covered} or has_form(term, covered)


def _is_form(one: str, other: str) -> bool:
    """Return whether two stems have one origin.

    One begins or contains the other, or most of their first letters are the same.
    """
    short, long = sorted((one, other), key=len)
    if len(short) < _MIN_PREFIX:
        return short == long
    is_main = len(short) >= _MIN_CONTAINED and 2 * len(short) >= len(long)  # not "client" in "wsclienterror"
    if long.startswith(short) or (is_main and short in long):
        return True
    least = max(_MIN_PREFIX, ceil(_SAME_PREFIX * len(long)))
    return len(short) >= least and short[:least] == long[:least]
