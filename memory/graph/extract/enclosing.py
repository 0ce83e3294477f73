"""Where a byte of a file is: in which definition, and in which line."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from aurora.memory.parsing import Definition


def index_owners(definitions: Sequence[Definition]) -> Callable[[int], int]:
    """What tells of a byte which definition stands around it: its position in the file's list, 0 for the file itself.

    The file is cut at each place where that changes.

    Args:
        definitions: its outline, each after what holds it.
    """
    cuts, inner = [0], [0]
    around: list[tuple[int, int]] = []  # where each ends that is open, and its position

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
    """The line, counted from 1, that each of these bytes is in."""
    lines: dict[int, int] = {}
    line, after = 1, 0
    for at in sorted(set(places)):
        line += source.count(b"\n", after, at + 1)
        lines[at], after = line, at + 1
    return [lines[at] for at in places]
