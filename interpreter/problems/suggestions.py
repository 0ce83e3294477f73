"""Words for a wrong name in a document, and what mends it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.faults.suggest import did_you_mean, listed, nearest, only_near

from .problem import Fix

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["did_you_mean", "listed", "nearest", "respelt"]


def respelt(word: str, known: Iterable[str]) -> Fix | None:
    """The near name in place of the word, when it is the only one that could have been meant."""
    meant = only_near(word, known)
    return Fix(word, meant) if meant is not None else None
