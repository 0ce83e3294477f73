"""Excerpts and previews of chunks, and the places in a text that match a query."""

from __future__ import annotations

import re
import textwrap
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from aurora.memory.text_index.tokens import stem_word

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
    kept = _select_lines(lines, (*parsed.literals, *parsed.terms), symbol, max_chars)
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


_RUN = re.compile(r"[^\W_]+")
"""A word, or what is between the underscores of an identifier."""

_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
"""A part of such a run: `HTTPAdapter` has two."""


class _Sought(NamedTuple):
    words: frozenset[str]
    texts: re.Pattern[str] | None


def find_matches(text: str, query: str) -> tuple[tuple[int, int], ...]:
    """Find the parts of a text that match the words, names and literals of a query.

    Args:
        text: a line or more.
        query: the query as typed.

    Returns:
        Start and end of each match in characters, in order, without overlap.
    """
    found: list[tuple[int, int]] = []
    for start, end in sorted(_iterate_matches(text, _read_query(query)), key=lambda one: (one[0], -one[1])):
        if not found or start >= found[-1][1]:
            found.append((start, end))
    return tuple(found)


def _iterate_matches(text: str, sought: _Sought) -> Iterator[tuple[int, int]]:
    if sought.texts is not None:
        yield from (match.span() for match in sought.texts.finditer(text))
    for run in _RUN.finditer(text):
        if stem_word(run[0].lower()) in sought.words:
            yield run.span()
        elif run[0].isascii():
            parts = _PART.finditer(text, *run.span())
            yield from (part.span() for part in parts if stem_word(part[0].lower()) in sought.words)


@lru_cache(maxsize=1)
def _read_query(query: str) -> _Sought:
    read = parse_query(query)
    texts = "|".join(map(re.escape, sorted({*read.literals, *read.names}, key=len, reverse=True)))
    return _Sought(frozenset(read.words), re.compile(texts, re.IGNORECASE) if texts else None)


_WORD_CHARACTER = re.compile(r"\w")

_COMMENT_PREFIXES = ("//", "/*", "*", "@", "#", "--", ";", '"', "'", "<")

MAX_LENGTH = 240
"""Characters of a preview."""


_MAX_LINES = 3


def build_preview(text: str, words: Sequence[str], symbol: str = "") -> str:
    """Build a preview from the symbol's line and the lines with most query words.

    Args:
        text: the chunk's text.
        words: the query's words in lower case.
        symbol: the chunk's symbol; comments and decorators may precede its line.

    Returns:
        At most three lines in their order, at most `MAX_LENGTH` characters; `…` marks a cut.
    """
    lines = [line.strip() for line in text.splitlines() if _WORD_CHARACTER.search(line)]
    if not lines:
        return text.strip()[:MAX_LENGTH]
    head = find_symbol_line(lines, symbol)
    best = _find_matching_lines(lines, words, head)[: _MAX_LINES - 1]
    room = MAX_LENGTH // (1 + len(best)) - 1
    shown = []
    for i in sorted((head, *best)):
        is_symbol = i == head and symbol  # a symbol is at the beginning of its line
        shown.append(_truncate_line(lines[i], () if is_symbol else words, room))
    return "\n".join(shown)


def _find_matching_lines(lines: Sequence[str], words: Sequence[str], head: int) -> list[int]:
    """Find the lines that contain words, except the head; those with most words first."""
    counts = {}
    for i, line in enumerate(map(str.lower, lines)):
        count = sum(word in line for word in words)
        if count and i != head:
            counts[i] = count
    return sorted(counts, key=lambda i: (-counts[i], i))


def find_symbol_line(lines: Sequence[str], symbol: str) -> int:
    """Find the first line with the symbol's last name, not a comment or decorator."""
    name = re.split(r"\W+", symbol)[-1]
    if name:
        for i, line in enumerate(lines):
            if not line.startswith(_COMMENT_PREFIXES) and _contains_word(line, name):
                return i
    return 0


def _contains_word(line: str, word: str) -> bool:
    """Return True when a word is in a line as a whole, without compiling a pattern for each hit."""
    start = line.find(word)
    while start >= 0:
        neighbours = line[max(start - 1, 0) : start] + line[start + len(word) : start + len(word) + 1]
        if not _WORD_CHARACTER.search(neighbours):
            return True
        start = line.find(word, start + 1)
    return False


def _truncate_line(line: str, words: Sequence[str], room: int) -> str:
    if len(line) <= room:
        return line
    low = line.lower()
    first = min((place for word in words if (place := low.find(word)) >= 0), default=0)
    start = 0 if first < room - 20 else first - 20
    end = start + room - 1 - (start > 0)
    return ("…" if start else "") + line[start:end] + ("…" if end < len(line) else "")
