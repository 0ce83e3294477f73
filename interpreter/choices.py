"""Words for a wrong name: the near one, and the choices."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from .problems import Fix

if TYPE_CHECKING:
    from collections.abc import Iterable

NEAR = 0.65
"""How alike two words must be, from 0 to 1, for one to be taken for a slip of the other."""

SURE = 0.75
"""How alike they must be for the slip to be mended unasked."""


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known name that the writer most likely meant, or None."""
    names = list(known)
    lowered = {name.lower(): name for name in reversed(names)}
    if word.lower() in lowered:
        return lowered[word.lower()]
    found = get_close_matches(word.lower(), list(lowered), n=1, cutoff=NEAR)
    return lowered[found[0]] if found else None


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """`did you mean "x"?`, or an empty string when nothing is near."""
    near = nearest(word, known)
    return f'did you mean "{near}"?' if near else ""


def respelt(word: str, known: Iterable[str]) -> Fix | None:
    """The near name in place of the word, when it is the only one that could have been meant."""
    names = list(known)
    lowered = {name.lower(): name for name in names}
    if word.lower() in lowered:
        return Fix(word, lowered[word.lower()])
    near = get_close_matches(word.lower(), list(lowered), n=2, cutoff=NEAR)
    sure = get_close_matches(word.lower(), list(lowered), n=1, cutoff=SURE)
    return Fix(word, lowered[sure[0]]) if sure and len(near) == 1 else None


def listed(names: Iterable[str], most: int = 20) -> str:
    """The names sorted and quoted, `"a", "b"`; a long list is cut and says so."""
    ordered = sorted(names)
    shown = ", ".join(f'"{name}"' for name in ordered[:most])
    return shown if len(ordered) <= most else f"{shown} and {len(ordered) - most} more"
