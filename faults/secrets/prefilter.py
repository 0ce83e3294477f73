"""Prefilter that finds in one pass which of many short marks may occur in a text."""

from __future__ import annotations

import sys
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

_MIN_LENGTH = 512  # characters; a shorter text is searched faster without preparing a pass
_KELVIN_SIGN = "\u212a"  # the only non-ASCII letter whose lower case is an ASCII letter
_PAIR_COUNT = 3
_WINDOW = 2 * _PAIR_COUNT
_MAX_PLACES = 50_000  # possible ends of marks; a text with more is searched for each mark
_MAX_GROUPS = 64
_ANY: list[int | slice] = [slice(None)]


class SecretPrefilter:
    """Prefilter for a set of marks.

    Each pair of bytes of a text is looked up in tables with one bit per group of marks: which marks may have it first,
    second and third among their last six bytes. A mark may occur in the text where the bit of its group is set for
    three consecutive pairs; its last bytes are then compared. The marks of a group end alike.

    Args:
        exact: case-sensitive marks in ASCII.
        folded: case-insensitive marks in lower-case ASCII; one that is in both is case-insensitive.
    """

    def __init__(self, exact: Iterable[str], folded: Iterable[str]) -> None:
        folded = tuple(folded)
        shapes: dict[str, list[list[int | slice]]] = {mark: [[ord(char)] for char in mark] for mark in exact}
        shapes |= {mark: [[ord(char.lower()), ord(char.upper())] for char in mark] for mark in folded}
        self._folded = folded
        self._exact = tuple(mark for mark in shapes if mark not in self._folded)
        self._groups = _group_marks(shapes)

    def find_possible(self, text: str) -> frozenset[str]:
        """Find the marks that may occur in the text; false positives are possible.

        A short text is searched for each mark, and so is a long one where numpy is not loaded: its import takes longer
        than a few files.
        """
        np = sys.modules.get("numpy")
        if len(text) < _MIN_LENGTH or np is None or _KELVIN_SIGN in text:
            return self._search(text)
        body = text.encode("utf-8", "replace")
        body += b"\0" * (_WINDOW + len(body) % 2)
        first, second, third = self._pair_tables
        windows: set[bytes] = set()
        for start in (0, 1):
            pairs = np.frombuffer(body, "<u2", offset=start, count=len(body) // 2 - start).astype(np.intp)
            # No pair is out of range; "wrap" is the only mode of `take` without a bounds check.
            bits = first.take(pairs[:-2], mode="wrap")
            bits &= second.take(pairs[1:-1], mode="wrap")
            bits &= third.take(pairs[2:], mode="wrap")
            places = np.flatnonzero(bits)
            if len(places) > _MAX_PLACES:
                return self._search(text)
            windows.update([body[at : at + _WINDOW] for at in (2 * places + start).tolist()])
        return self._identify(windows)

    def _search(self, text: str) -> frozenset[str]:
        """Find the marks of a text one by one."""
        lowered = text.lower()
        exact = [mark for mark in self._exact if mark in text]
        return frozenset(exact + [mark for mark in self._folded if mark in lowered])

    def _identify(self, windows: Iterable[bytes]) -> frozenset[str]:
        """Find the marks whose last bytes begin one of the windows."""
        tails, sizes = self._tails
        folded = set(self._folded)
        found: set[str] = set()
        for window in windows:
            lowered = window.lower()
            for size in sizes:
                for mark in tails.get(lowered[:size], ()):
                    if mark in folded or window.startswith(mark[-_WINDOW:].encode()):
                        found.add(mark)
        return frozenset(found)

    @cached_property
    def _tails(self) -> tuple[dict[bytes, list[str]], list[int]]:
        """Marks by their last bytes in lower case, and the lengths of these."""
        tails: dict[bytes, list[str]] = {}
        for mark in (*self._exact, *self._folded):
            tails.setdefault(mark[-_WINDOW:].lower().encode(), []).append(mark)
        return tails, sorted({len(tail) for tail in tails})

    @cached_property
    def _pair_tables(self) -> Sequence[NDArray[np.uint64]]:
        """Tables by pair of bytes (low byte first): marks with it first, second and third."""
        import numpy as np  # noqa: PLC0415 - many commands never need it

        tables = np.zeros((_PAIR_COUNT, 256, 256), np.uint64)
        for bit, group in enumerate(self._groups):
            for shape in group.values():
                # the end of a mark is rarer than its beginning
                end = [*shape[-_WINDOW:], *[_ANY] * 2 * _PAIR_COUNT]
                for table, low, high in zip(tables, end[0::2], end[1::2], strict=False):
                    for place in product(high, low):
                        table[place] |= np.uint64(1 << bit)
        return list(tables.reshape(_PAIR_COUNT, -1))


def _group_marks(shapes: Mapping[str, list[list[int | slice]]]) -> list[dict[str, list[list[int | slice]]]]:
    """Divide the marks into as many groups as there are bits; marks that end alike share a group."""
    ordered = sorted(shapes, key=lambda mark: mark[-_WINDOW:][::-1])
    size = -(-len(ordered) // _MAX_GROUPS)
    return [{mark: shapes[mark] for mark in ordered[at : at + size]} for at in range(0, len(ordered), size)]
