"""Words for a wrong name: the near one, and the choices."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

NEAR = 0.65
"""How alike two words must be, from 0 to 1, for one to be taken for a slip of the other."""

SURE = 0.75
"""How alike they must be for the slip to be mended unasked."""

_LONGEST = 80
"""Characters of the word that are compared; somebody may have typed a megabyte."""


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known name that the writer most likely meant, or None; case does not count."""
    by_folded = _by_folded(known)
    folded = word[:_LONGEST].casefold()
    found = [folded] if folded in by_folded else _alike(folded, list(by_folded), n=1, cutoff=NEAR)
    return by_folded[found[0]] if found else None


def only_near(word: str, known: Iterable[str]) -> str | None:
    """The known name that was surely meant: very near, and no other one is near; else None."""
    by_folded = _by_folded(known)
    folded = word[:_LONGEST].casefold()
    if folded in by_folded:
        return by_folded[folded]
    near = _alike(folded, list(by_folded), n=2, cutoff=NEAR)
    sure = _alike(folded, list(by_folded), n=1, cutoff=SURE)
    return by_folded[sure[0]] if sure and len(near) == 1 else None


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """`did you mean "x"?`, or an empty string when nothing is near."""
    near = nearest(word, known)
    return f'did you mean "{near}"?' if near else ""


def quoted(names: Iterable[str]) -> str:
    """All the names, sorted and quoted: `"a", "b"`."""
    return ", ".join(f'"{name}"' for name in sorted(names))


def listed(names: Iterable[str], most: int = 20) -> str:
    """The names sorted and quoted; a long list is cut and says so."""
    ordered = sorted(names)
    shown = quoted(ordered[:most])
    return shown if len(ordered) <= most else f"{shown} and {len(ordered) - most} more"


def _by_folded(known: Iterable[str]) -> dict[str, str]:
    """Of names that differ by case alone, the first."""
    return {name.casefold(): name for name in reversed(list(known))}


def _alike(word: str, known: list[str], n: int, cutoff: float) -> list[str]:
    """At most `n` of the known words that are at least so much like it, the most alike first."""
    from difflib import get_close_matches  # noqa: PLC0415 - a command whose words are right does without

    return get_close_matches(word, known, n=n, cutoff=cutoff)
