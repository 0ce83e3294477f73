"""Chunking of documents: one piece per section, fenced blocks whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.memory.model import Piece

from .headings import Heading, Layout, parse_layout
from .windows import split_windows, trim_blank_rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MAX_SECTION_LINES = 60
MAX_SECTION_CHARS = 6_000
"""A longer section is split between paragraphs."""

_MAX_FENCE_LINES = 200  # a longer fenced block is a pasted file
_MAX_PATH_CHARS = 200


def chunk_document(lines: Sequence[str], language: str) -> tuple[Piece, ...]:
    """Split a document into sections, named by the path of their headings: `Install > From source`.

    A heading without text belongs to the section below it, which then begins at that heading.
    """
    layout = parse_layout(lines, language)
    pieces: list[Piece] = []
    for start, end, path in _find_sections(lines, layout):
        parts = list(_pack_blocks(lines, layout, start, end))
        symbol = " > ".join(path)[:_MAX_PATH_CHARS]
        for number, (first, last) in enumerate(parts, 1):
            metadata: dict[str, Any] = {"parent": " > ".join(path[:-1])} if len(path) > 1 else {}
            if len(parts) > 1:
                metadata["part"] = f"{number}/{len(parts)}"
            text = "\n".join(lines[first : last + 1])
            pieces.append(Piece("section" if path else "text", symbol, first + 1, last + 1, text, language, metadata))
    return tuple(pieces)


def _find_sections(lines: Sequence[str], layout: Layout) -> Iterator[tuple[int, int, list[str]]]:
    """Find the first row, last row and heading path of each section.

    Text before the first heading is a section too.
    """
    path: list[tuple[int, str]] = []
    following = [*layout.headings, Heading(len(lines), len(lines), 0, "")]
    if span := trim_blank_rows(lines, 0, following[0].row - 1):
        yield (*span, [])
    waiting: int | None = None
    for heading, after in zip(layout.headings, following[1:], strict=True):
        path = [part for part in path if part[0] < heading.level] + [(heading.level, heading.title)]
        start, waiting = (heading.row if waiting is None else waiting), None
        is_empty = trim_blank_rows(lines, heading.last + 1, after.row - 1) is None
        if is_empty and after.level > heading.level:
            waiting = start
        elif span := trim_blank_rows(lines, start, after.row - 1):
            yield (*span, [title for _level, title in path])


def _pack_blocks(lines: Sequence[str], layout: Layout, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Pack the blocks of a section into parts within the limits."""
    first, last, chars = start, start - 1, 0
    for top, bottom in _find_blocks(lines, layout, start, end):
        size = sum(map(len, lines[top : bottom + 1]))
        if last >= first and (bottom - first >= MAX_SECTION_LINES or chars + size > MAX_SECTION_CHARS):
            yield first, last
            first, chars = top, 0
        last, chars = bottom, chars + size
    if last >= first:
        yield first, last


def _find_blocks(lines: Sequence[str], layout: Layout, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Find the paragraphs and fenced blocks of a section.

    A paragraph over the limit is split between lines.
    """
    row = start
    while row <= end:
        if not lines[row].strip():
            row += 1
            continue
        last = row
        fence = layout.fences.get(row)
        while fence is None and last < end and lines[last + 1].strip() and last + 1 not in layout.fences:
            last += 1
        last = min(end, fence) if fence is not None else last
        if last - row >= (_MAX_FENCE_LINES if fence is not None else MAX_SECTION_LINES):
            yield from split_windows(lines, row, last, MAX_SECTION_LINES)
        else:
            yield row, last
        row = last + 1
