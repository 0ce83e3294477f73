"""Preview of a chunk: the lines that match the query."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

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
