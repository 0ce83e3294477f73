"""Suggestions and fixes for a wrong name in a document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.faults import did_you_mean, find_nearest, find_unambiguous, list_names

from .problem import Fix

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["did_you_mean", "find_nearest", "list_names", "suggest_fix"]


def suggest_fix(word: str, known: Iterable[str]) -> Fix | None:
    """Return the fix that replaces the word with the only similar name, or None."""
    target = find_unambiguous(word, known)
    return Fix(word, target) if target is not None else None
