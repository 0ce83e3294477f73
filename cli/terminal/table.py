"""A table that gives way to a narrow screen: a name is never cut, whole columns are left out instead."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from .console import has_fixed_width

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console
    from rich.text import Text

_COLUMN_GAP = 2
_MIN_WRAP_WIDTH = 16
"""Characters that a column whose text flows keeps at least."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column.

    Attributes:
        title: what it is called, also where no titles are shown.
        leaves: which goes first where there is no room, the highest number; 0 stays.
        flows: whether its text may go on in the next line.
        justify: on which side its text stands.
    """

    title: str
    leaves: int = 0
    flows: bool = False
    justify: Literal["left", "right"] = "left"


def print_table(
    columns: Sequence[Column], rows: Sequence[Sequence[Text]], console: Console, *, titled: bool = True
) -> None:
    """Print the rows, and which columns were left out; in a pipe nothing is left out, and a row is one line.

    Args:
        columns: from left to right.
        rows: a text for each column.
        console: where to.
        titled: whether the titles stand above.
    """
    from rich.table import Table  # noqa: PLC0415 - only a person's eyes need it

    natural = [  # of a column that is empty, one character: rich gives it that
        max([len(column.title) * titled, 1, *(row[at].cell_len for row in rows)]) for at, column in enumerate(columns)
    ]
    room = console.width if has_fixed_width() else _sum_widths(natural)
    kept = _select_columns(columns, natural, room)
    table = Table(box=None, pad_edge=False, padding=(0, _COLUMN_GAP, 0, 0), header_style="dim", show_header=titled)
    for at in kept:
        column = columns[at]
        table.add_column(column.title, no_wrap=not column.flows, overflow="fold", justify=column.justify)
    for row in rows:
        table.add_row(*(row[at] for at in kept))
    if not has_fixed_width():
        table.width = room
    console.print(table, crop=has_fixed_width())
    gone = [column.title for at, column in enumerate(columns) if at not in kept]
    if gone:
        console.print(f"no room for: {', '.join(gone)}; --json has them", style="dim")


def _select_columns(columns: Sequence[Column], natural: Sequence[int], room: int) -> list[int]:
    """The places of the columns that there is room for."""
    kept = list(range(len(columns)))
    wanted = [min(width, _MIN_WRAP_WIDTH) if columns[at].flows else width for at, width in enumerate(natural)]
    while _sum_widths([wanted[at] for at in kept]) > room:
        first = max(kept, key=lambda at: columns[at].leaves)
        if not columns[first].leaves:
            break
        kept.remove(first)
    return kept


def _sum_widths(widths: Sequence[int]) -> int:
    """Characters of a line with columns so wide."""
    return sum(widths) + _COLUMN_GAP * (len(widths) - 1)
