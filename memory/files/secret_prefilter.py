"""Prefilter that finds in one pass which of many short marks may occur in a text."""

from __future__ import annotations

import sys
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy as np
    from numpy.typing import NDArray

_MIN_LENGTH = 512  # characters; a shorter text is searched faster without preparing a pass
_KELVIN_SIGN = "\u212a"  # the only non-ASCII letter whose lower case is an ASCII letter
_PAIR_COUNT = 3
_MAX_MARKS = 64
_ANY: list[int | slice] = [slice(None)]


class SecretPrefilter:
    """Prefilter for a set of marks.

    Each pair of bytes of a text is looked up in tables with one bit per mark: which marks may have it first, second and
    third among their last six bytes. A mark may occur in the text where its bit is set for three consecutive pairs.

    Args:
        exact: case-sensitive marks in ASCII.
        folded: case-insensitive marks in lower-case ASCII.

    Raises:
        ValueError: there are more than 64 of them.
    """

    def __init__(self, exact: Iterable[str], folded: Iterable[str]) -> None:
        shapes: dict[str, list[list[int | slice]]] = {mark: [[ord(char)] for char in mark] for mark in exact}
        shapes |= {mark: [[ord(char.lower()), ord(char.upper())] for char in mark] for mark in folded}
        if len(shapes) > _MAX_MARKS:
            message = f"{len(shapes)} marks, and {_MAX_MARKS} bits to distinguish them"
            raise ValueError(message)
        self._shapes = shapes
        self._all = frozenset(shapes)

    def find_possible(self, text: str) -> frozenset[str]:
        """Find the marks that may occur in the text; false positives are possible.

        All marks for a short text, and where numpy is not loaded: its import takes longer than a few files.
        """
        np = sys.modules.get("numpy")
        if len(text) < _MIN_LENGTH or np is None or _KELVIN_SIGN in text:
            return self._all
        body = text.encode("utf-8", "replace")
        body += b"\0" * (2 * _PAIR_COUNT + len(body) % 2)
        first, second, third = self._pair_tables
        found = 0
        for start in (0, 1):
            pairs = np.frombuffer(body, "<u2", offset=start, count=len(body) // 2 - start).astype(np.intp)
            # No pair is out of range; "wrap" is the only mode of `take` without a bounds check.
            bits = first.take(pairs[:-2], mode="wrap")
            bits &= second.take(pairs[1:-1], mode="wrap")
            bits &= third.take(pairs[2:], mode="wrap")
            found |= int(np.bitwise_or.reduce(bits))
        return frozenset(mark for at, mark in enumerate(self._shapes) if found >> at & 1) if found else frozenset()

    @cached_property
    def _pair_tables(self) -> Sequence[NDArray[np.uint64]]:
        """Tables by pair of bytes (low byte first): marks with it first, second and third."""
        import numpy as np  # noqa: PLC0415 - many commands never need it

        tables = np.zeros((_PAIR_COUNT, 256, 256), np.uint64)
        for at, shape in enumerate(self._shapes.values()):
            end = [
                *shape[-2 * _PAIR_COUNT :],
                *[_ANY] * 2 * _PAIR_COUNT,
            ]  # the end is rarer than the beginning
            for table, low, high in zip(tables, end[0::2], end[1::2], strict=False):
                for place in product(high, low):
                    table[place] |= np.uint64(1 << at)
        return list(tables.reshape(_PAIR_COUNT, -1))
