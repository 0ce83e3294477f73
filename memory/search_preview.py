"""The few lines of a chunk that show why it was found."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_TELLING = re.compile(r"\w")

LONGEST = 240
"""Characters of a preview."""
_LINES = 3


def preview(text: str, words: Sequence[str]) -> str:
    """The first telling line, which names the thing, then those that hold the most of the words.

    Args:
        text: the chunk's text.
        words: the query's words in lower case.

    Returns:
        At most three lines, in their order, at most `LONGEST` characters; `…` where something was cut.
    """
    lines = [line.strip() for line in text.splitlines() if _TELLING.search(line)]
    if not lines:
        return text.strip()[:LONGEST]
    lower = enumerate(map(str.lower, lines[1:]), 1)
    worth = {i: len(held) for i, line in lower if (held := [word for word in words if word in line])}
    best = sorted(worth, key=lambda i: (-worth[i], i))[: _LINES - 1]
    room = LONGEST // (1 + len(best)) - 1
    return "\n".join(_cut(lines[i], words, room) for i in (0, *sorted(best)))


def _cut(line: str, words: Sequence[str], room: int) -> str:
    if len(line) <= room:
        return line
    low = line.lower()
    first = min((place for word in words if (place := low.find(word)) >= 0), default=0)
    start = 0 if first < room - 20 else first - 20
    end = start + room - 1 - (start > 0)
    return ("…" if start else "") + line[start:end] + ("…" if end < len(line) else "")
