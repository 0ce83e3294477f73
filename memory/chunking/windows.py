"""Windows: ranges of lines split at blank lines and statement starts."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING

from aurora.memory.model.chunks import Piece

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MAX_CHARS = 12_000
"""The most characters of a window with more than one line; a single line is never split."""

MAX_TEXT_LINES = 40
"""The rows of a window of text without known structure."""


def split_lines(text: str) -> list[str]:
    r"""Split text into lines as grammars and editors count them.

    A line ends at `\n`; the carriage return before it is removed.
    """
    lines = text.split("\n")
    return [line.removesuffix("\r") for line in lines] if "\r" in text else lines


def trim_blank_rows(lines: Sequence[str], start: int, end: int) -> tuple[int, int] | None:
    """Trim blank rows at both ends of `start..end`; None when all are blank."""
    while start <= end and not lines[start].strip():
        start += 1
    while end >= start and not lines[end].strip():
        end -= 1
    return (start, end) if start <= end else None


def split_windows(
    lines: Sequence[str], start: int, end: int, size: int, cuts: Sequence[int] | None = None
) -> list[tuple[int, int]]:
    """Split rows `start..end` into parts of at most `size` rows, about equally long.

    Args:
        lines: all lines of the file.
        start: first row, counted from 0.
        end: last row, included.
        size: the most rows of a part; a part of more than `MAX_CHARS` has fewer.
        cuts: the preferred first rows of a part, ascending; by default the rows after blank lines, else those without
            indentation.

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
    """Split rows into parts of at most `MAX_CHARS`, or of one row."""
    first, chars = start, 0
    for row in range(start, end + 1):
        chars += len(lines[row]) + 1
        if chars > MAX_CHARS and row > first:
            yield first, row - 1
            first, chars = row, len(lines[row]) + 1
    yield first, end


def chunk_text(lines: Sequence[str], language: str, size: int = MAX_TEXT_LINES) -> tuple[Piece, ...]:
    """Split a file without known structure into windows of kind `text`."""
    parts = split_windows(lines, 0, len(lines) - 1, size)
    return tuple(
        Piece("text", "", first + 1, last + 1, "\n".join(lines[first : last + 1]), language, {})
        for first, last in parts
    )


def _choose_cut(cuts: Sequence[int], start: int, ideal: int, latest: int) -> int:
    """Choose the cut nearest to `ideal` that makes no tiny and no too long part.

    Return `ideal` when there is none.
    """
    low = bisect_left(cuts, start + max(1, (ideal - start) // 2))
    high = bisect_right(cuts, latest)
    return min(cuts[low:high], key=lambda row: abs(row - ideal), default=ideal)


def _find_breaks(lines: Sequence[str], start: int, end: int) -> list[int]:
    """Find the rows after a blank one; without any, the rows without indentation."""
    after_blank = [row for row in range(start + 1, end + 1) if lines[row].strip() and not lines[row - 1].strip()]
    return after_blank or [row for row in range(start + 1, end + 1) if lines[row][:1].strip()]
