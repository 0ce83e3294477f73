"""Suggestions and fixes for a wrong name in a document, with a limit for their work."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

from aurora import faults
from aurora.faults import list_names

from .problem import Fix

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["did_you_mean", "find_nearest", "limit_suggestions", "list_names", "suggest_fix"]

MAX_COMPARISONS = 40_000
"""Known names that the wrong names of one document are compared with, up to 15 µs each."""

MAX_NAME = 160
"""Characters of a known name; a longer one is similar to no word of 80."""


class _Comparisons:
    """Comparisons that are left."""

    def __init__(self) -> None:
        self.left = MAX_COMPARISONS


_comparisons: ContextVar[_Comparisons | None] = ContextVar("aurora_comparisons", default=None)


@contextmanager
def limit_suggestions() -> Iterator[None]:
    """Limit the comparisons of the block; past the limit, names are reported without a suggestion.

    A file of a thousand unknown names among a thousand known ones would else take minutes. Within another such block it
    does nothing.
    """
    if _comparisons.get() is not None:
        yield
        return
    token = _comparisons.set(_Comparisons())
    try:
        yield
    finally:
        _comparisons.reset(token)


def find_nearest(word: str, known: Iterable[str]) -> str | None:
    """Return the most similar known name, or None; ignore case."""
    names = _select_names(known)
    return faults.find_nearest(word, names) if names else None


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return `did you mean "x"?`, or an empty string without a similar name."""
    near = find_nearest(word, known)
    return f'did you mean "{near}"?' if near else ""


def suggest_fix(word: str, known: Iterable[str]) -> Fix | None:
    """Return the fix that replaces the word with the only similar name, or None."""
    names = _select_names(known)
    target = faults.find_unambiguous(word, names) if names else None
    return Fix(word, target) if target is not None else None


def _select_names(known: Iterable[str]) -> list[str]:
    """Select the names to compare, and count them; none past the limit."""
    names = [name for name in known if len(name) <= MAX_NAME]
    comparisons = _comparisons.get()
    if comparisons is None:
        return names[:MAX_COMPARISONS]
    comparisons.left -= len(names)
    return names if comparisons.left >= 0 else []
