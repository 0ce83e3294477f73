"""Size of a JSON value, measured with a bound on the work."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_DEPTH = 100
"""Levels of a value; a deeper one counts as too large, because libraries walk it recursively."""
NODE_SIZE = 20
"""Size of a node without its characters: to visit one takes libraries as long as to copy some 20 characters."""
_BITS_PER_DIGIT = 3


def measure_size(values: Iterable[Any], limit: int) -> int:
    """Measure values: their characters, and `NODE_SIZE` for each node.

    A part that occurs twice counts twice. The count ends soon after `limit`, also for a small value whose parts refer
    to the same ones many times. A value deeper than `MAX_DEPTH`, or of a type that JSON does not have, counts as more
    than `limit`.
    """
    total = 0
    level = list(values)
    for _ in range(MAX_DEPTH):
        inner: list[Any] = []
        total += NODE_SIZE * len(level)
        for value in level:
            if isinstance(value, str):
                total += len(value)
            elif isinstance(value, dict):
                total += sum(map(len, map(str, value)))
                inner += value.values()
            elif isinstance(value, list | tuple):
                inner += value
            else:
                total += _measure_scalar(value, limit)
            if total + len(inner) > limit:
                return limit + 1
        if not inner:
            return total
        level = inner
    return limit + 1


def _measure_scalar(value: Any, limit: int) -> int:
    if isinstance(value, int):
        return value.bit_length() // _BITS_PER_DIGIT
    return 0 if value is None or isinstance(value, float) else limit + 1
