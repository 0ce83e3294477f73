"""Cuts a stretch of lines into windows, at the places where a reader would cut."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING

from aurora.memory.model import Piece

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MAX_CHARS = 12_000
"""A window of very long lines has fewer of them; a single line is never cut."""

MAX_TEXT_LINES = 40
"""The size of a window where nothing is known about the structure."""


def split_lines(text: str) -> list[str]:
    r"""The lines as grammars and editors count them: ended by `\n`, a carriage return before it dropped."""
    lines = text.split("\n")
    return [line.removesuffix("\r") for line in lines] if "\r" in text else lines


def trim_blank_rows(lines: Sequence[str], start: int, end: int) -> tuple[int, int] | None:
    """The rows `start..end` without blank ones at either end; None when all are blank."""
    while start <= end and not lines[start].strip():
        start += 1
    while end >= start and not lines[end].strip():
        end -= 1
    return (start, end) if start <= end else None


def split_windows(
    lines: Sequence[str], start: int, end: int, size: int, cuts: Sequence[int] | None = None
) -> list[tuple[int, int]]:
    """Rows `start..end` in parts of at most `size` rows, about equally long.

    Args:
        lines: all lines of the file.
        start: first row, counted from 0.
        end: last row, included.
        size: the most rows a part may have; a part of more than `MAX_CHARS` has fewer.
        cuts: the rows at which a part may well begin, ascending; without any, the rows after blank lines, then
            those with no indentation.

    Returns:
        `(first, last)` of each part, without blank rows at its ends.
    """
    if cuts is None:
        cuts = _find_breaks(lines, start, end) if end - start >= size else ()
    parts: list[tuple[int, int]] = []
    while end - start >= size:
        count = -(-(end - start + 1) // size)
        cut = _choose_cut(cuts, start, start + -(-(end - start + 1) // count), start + size)
        parts.append((start, cut - 1))
        start = cut
    parts.append((start, end))
    narrow = (part for first, last in parts for part in _split_by_chars(lines, first, last))
    return [part for first, last in narrow if (part := trim_blank_rows(lines, first, last))]


def _split_by_chars(lines: Sequence[str], start: int, end: int) -> Iterator[tuple[int, int]]:
    """The rows in parts of at most `MAX_CHARS`, or of one row."""
    first, chars = start, 0
    for row in range(start, end + 1):
        chars += len(lines[row]) + 1
        if chars > MAX_CHARS and row > first:
            yield first, row - 1
            first, chars = row, len(lines[row]) + 1
    yield first, end


def chunk_text(lines: Sequence[str], language: str, size: int = MAX_TEXT_LINES) -> tuple[Piece, ...]:
    """A file without known structure, in windows of kind `text`."""
    parts = split_windows(lines, 0, len(lines) - 1, size)
    return tuple(
        Piece("text", "", first + 1, last + 1, "\n".join(lines[first : last + 1]), language, {})
        for first, last in parts
    )


def _choose_cut(cuts: Sequence[int], start: int, ideal: int, latest: int) -> int:
    """The cut nearest to `ideal` that leaves a part neither tiny nor too long; `ideal` when there is none."""
    low = bisect_left(cuts, start + max(1, (ideal - start) // 2))
    high = bisect_right(cuts, latest)
    return min(cuts[low:high], key=lambda row: abs(row - ideal), default=ideal)


def _find_breaks(lines: Sequence[str], start: int, end: int) -> list[int]:
    """Rows that follow a blank one; where there are none, rows with no indentation."""
    after_blank = [row for row in range(start + 1, end + 1) if lines[row].strip() and not lines[row - 1].strip()]
    return after_blank or [row for row in range(start + 1, end + 1) if lines[row][:1].strip()]
