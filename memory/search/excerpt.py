"""Excerpt of a chunk for a query: the lines that matter most, in their order."""

from __future__ import annotations

import re
import textwrap
from typing import TYPE_CHECKING

from .preview import find_symbol_line
from .query import parse_query

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

GAP = "…"
_WORD = re.compile(r"\w")
_HEAD_LINES = 2
_MAX_LINE = 160
"""Characters of a line in an excerpt."""


def build_excerpt(text: str, query: str, symbol: str = "", *, max_chars: int) -> str:
    """Build an excerpt: the symbol's line, the lines with most words of the query, and what follows them.

    Args:
        text: the chunk's text.
        query: the question.
        symbol: the chunk's symbol; comments and decorators may precede its line.
        max_chars: length of the excerpt in characters, marks of gaps included.

    Returns:
        The text without its common indentation and blank lines, whole if it fits; else lines of it in their order,
        with `…` for each gap.
    """
    lines = [line.rstrip()[:_MAX_LINE] for line in textwrap.dedent(text).splitlines() if line.strip()]
    if sum(len(line) + 1 for line in lines) <= max_chars + 1:
        return "\n".join(lines)
    parsed = parse_query(query)
    kept = _select_lines(lines, (*parsed.phrases, *parsed.terms), symbol, max_chars)
    return "\n".join(_join_lines(lines, kept))[:max_chars]


def _select_lines(lines: Sequence[str], words: Sequence[str], symbol: str, room: int) -> set[int]:
    """Select lines by importance until the room is used; a line may need a mark of a gap next to it."""
    kept: set[int] = set()
    for index in _rank_lines(lines, words, symbol):
        cost = len(lines[index]) + 1 + 2 * (index - 1 not in kept)
        if index in kept or cost > room:
            continue
        kept.add(index)
        room -= cost
    return {index for index in kept if _WORD.search(lines[index]) or {index - 1, index + 1} <= kept}


def _rank_lines(lines: Sequence[str], words: Sequence[str], symbol: str) -> Iterator[int]:
    """Rank lines: the first of the symbol, those with most words and their neighbors, then the rest."""
    head = find_symbol_line([line.strip() for line in lines], symbol)
    last = len(lines) - 1
    yield from range(head, min(head + _HEAD_LINES, last + 1))
    counts = [sum(word in line.lower() for word in words) for line in lines]
    for index in sorted((index for index, count in enumerate(counts) if count), key=lambda at: (-counts[at], at)):
        yield index
        yield min(index + 1, last)
        yield max(index - 1, 0)
    yield from range(head, last + 1)
    yield from range(head)


def _join_lines(lines: Sequence[str], kept: set[int]) -> Iterator[str]:
    before = -1
    for index in sorted(kept):
        if index > before + 1:
            yield GAP
        yield lines[index]
        before = index
    if kept and before < len(lines) - 1:
        yield GAP
