"""Output by rich, loaded only where it is used: console, tables, progress bar."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from aurora.faults import show_hidden_line

from .plain import get_console_width, has_fixed_width

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.text import Text


class PipeSafeConsole(Console):
    """Console that raises on a closed pipe; the error boundary knows the exit code for it."""

    def on_broken_pipe(self) -> None:
        """Raise the error again; rich calls this inside its `except BrokenPipeError`."""
        raise BrokenPipeError from None


def make_console() -> Console:
    """Return the console for standard output.

    It has colours only on a terminal (see NO_COLOR), and a fixed width in a pipe.
    """
    return PipeSafeConsole(
        file=sys.stdout, width=get_console_width(), highlight=False, markup=False, emoji=False, soft_wrap=False
    )


_COLUMN_GAP = 2
_MIN_WRAP_WIDTH = 16
"""Characters that a column keeps at least when its text wraps."""


@dataclass(frozen=True, slots=True)
class Column:
    """Layout of one column.

    Attributes:
        title: its heading; also names it in tables without headings.
        drop_order: the column with the highest number is dropped first where there is no room; 0 is never dropped.
        wraps: whether its text may continue on the next line.
        justify: the side that its text is aligned to.
    """

    title: str
    drop_order: int = 0
    wraps: bool = False
    justify: Literal["left", "right"] = "left"


def print_table(
    columns: Sequence[Column], rows: Sequence[Sequence[Text]], console: Console, *, titled: bool = True
) -> None:
    """Print the rows and name the dropped columns; in a pipe, print every column and one line a row.

    Args:
        columns: from left to right.
        rows: a text for each column.
        console: the output.
        titled: whether to print the headings.
    """
    widths = _measure_columns(columns, rows, titled=titled)
    room = console.width if has_fixed_width() else _sum_widths(widths)
    kept = _select_columns(columns, widths, room)
    table = Table(box=None, pad_edge=False, padding=(0, _COLUMN_GAP, 0, 0), header_style="dim", show_header=titled)
    for at in kept:
        column = columns[at]
        table.add_column(column.title, no_wrap=not column.wraps, overflow="fold", justify=column.justify)
    for row in rows:
        table.add_row(*(row[at] for at in kept))
    if not has_fixed_width():
        table.width = room
    console.print(table, crop=has_fixed_width())
    dropped = [column.title for at, column in enumerate(columns) if at not in kept]
    if dropped:
        console.print(f"hidden at this width: {', '.join(dropped)} (--json shows them)", style="dim")


def _measure_columns(columns: Sequence[Column], rows: Sequence[Sequence[Text]], *, titled: bool) -> list[int]:
    """Return the natural width of each column; rich gives an empty one a single character."""
    return [
        max([len(column.title) * titled, 1, *(row[at].cell_len for row in rows)]) for at, column in enumerate(columns)
    ]


def _select_columns(columns: Sequence[Column], widths: Sequence[int], room: int) -> list[int]:
    """Return the positions of the columns that fit."""
    kept = list(range(len(columns)))
    wanted = [min(width, _MIN_WRAP_WIDTH) if columns[at].wraps else width for at, width in enumerate(widths)]
    while _sum_widths([wanted[at] for at in kept]) > room:
        first = max(kept, key=lambda at: columns[at].drop_order)
        if not columns[first].drop_order:
            break
        kept.remove(first)
    return kept


def _sum_widths(widths: Sequence[int]) -> int:
    """Return the length of a line with columns of these widths."""
    return sum(widths) + _COLUMN_GAP * (len(widths) - 1)


_MAX_MESSAGE = 50


class ProgressBar:
    """Bar on standard error.

    Args:
        total: units of the whole work; None where they are unknown.
    """

    def __init__(self, total: float | None) -> None:
        columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeRemainingColumn())
        self._bar = Progress(*columns, console=Console(stderr=True), transient=True)
        self._task = self._bar.add_task("", total=total)
        self._bar.start()

    def update(self, done: float, total: float | None, message: str) -> None:
        """Show the finished units and the current one."""
        text = show_hidden_line(message)[-_MAX_MESSAGE:]
        self._bar.update(self._task, completed=done, total=total, description=text)

    def stop(self) -> None:
        """Remove the bar."""
        self._bar.stop()
