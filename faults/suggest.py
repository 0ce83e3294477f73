"""Words for a wrong name: the near one, and the choices."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

MIN_SIMILARITY = 0.65
"""How alike two words must be, from 0 to 1, for one to be taken for a slip of the other."""

FIX_SIMILARITY = 0.75
"""How alike they must be for the slip to be mended unasked."""

_MAX_LENGTH = 80
"""Characters of the word that are compared; somebody may have typed a megabyte."""


def find_nearest(word: str, known: Iterable[str]) -> str | None:
    """The known name that the writer most likely meant, or None; case does not count."""
    by_folded = _map_casefolded(known)
    folded = word[:_MAX_LENGTH].casefold()
    found = [folded] if folded in by_folded else _find_similar(folded, list(by_folded), n=1, cutoff=MIN_SIMILARITY)
    return by_folded[found[0]] if found else None


def find_unambiguous(word: str, known: Iterable[str]) -> str | None:
    """The known name that was surely meant: very near, and no other one is near; else None."""
    by_folded = _map_casefolded(known)
    folded = word[:_MAX_LENGTH].casefold()
    if folded in by_folded:
        return by_folded[folded]
    near = _find_similar(folded, list(by_folded), n=2, cutoff=MIN_SIMILARITY)
    sure = _find_similar(folded, list(by_folded), n=1, cutoff=FIX_SIMILARITY)
    return by_folded[sure[0]] if sure and len(near) == 1 else None


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """`did you mean "x"?`, or an empty string when nothing is near."""
    near = find_nearest(word, known)
    return f'did you mean "{near}"?' if near else ""


def quote_names(names: Iterable[str]) -> str:
    """All the names, sorted and quoted: `"a", "b"`."""
    return ", ".join(f'"{name}"' for name in sorted(names))


def list_names(names: Iterable[str], most: int = 20) -> str:
    """The names sorted and quoted; a long list is cut and says so."""
    ordered = sorted(names)
    shown = quote_names(ordered[:most])
    return shown if len(ordered) <= most else f"{shown} and {len(ordered) - most} more"


def _map_casefolded(known: Iterable[str]) -> dict[str, str]:
    """Of names that differ by case alone, the first."""
    return {name.casefold(): name for name in reversed(list(known))}


def _find_similar(word: str, known: list[str], n: int, cutoff: float) -> list[str]:
    """At most `n` of the known words that are at least so much like it, the most alike first."""
    from difflib import get_close_matches  # noqa: PLC0415 - a command whose words are right does without

    return get_close_matches(word, known, n=n, cutoff=cutoff)
