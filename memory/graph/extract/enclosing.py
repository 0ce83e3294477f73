"""Positions in a file: the definition around a byte, and its line."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from aurora.memory.parsing import Definition


def index_owners(definitions: Sequence[Definition]) -> Callable[[int], int]:
    """Index the definitions by byte.

    Args:
        definitions: the outline, each definition after its parent.

    Returns:
        A function from a byte to the position of the innermost definition around it; 0 for the file itself.
    """
    cuts, inner = [0], [0]
    around: list[tuple[int, int]] = []  # the end and the position of each open definition

    def close_innermost() -> None:
        cuts.append(around.pop()[0])
        inner.append(around[-1][1] if around else 0)

    for number, each in enumerate(definitions, 1):
        start, end = each.node.start_byte, each.node.end_byte
        while around and around[-1][0] <= start:
            close_innermost()
        cuts.append(start)
        inner.append(number)
        around.append((end, number))
    while around:
        close_innermost()
    return lambda at: inner[bisect_right(cuts, at) - 1]


def find_line_numbers(source: bytes, places: Collection[int]) -> list[int]:
    """Find the line of each of these bytes, from 1."""
    lines: dict[int, int] = {}
    line, after = 1, 0
    for at in sorted(set(places)):
        line += source.count(b"\n", after, at + 1)
        lines[at], after = line, at + 1
    return [lines[at] for at in places]
