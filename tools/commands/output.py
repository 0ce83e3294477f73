"""Output of a program: its beginning and its end, within a size limit."""

from __future__ import annotations

import json
from typing import Any

MAX_DEPTH = 80
"""Levels of a JSON value that a run can store in a result."""
_CONTINUATION_BYTES = range(0x80, 0xC0)
"""Bytes of UTF-8 that never begin a character."""


class CappedOutput:
    """Bytes of one stream, of which a limited number is kept.

    Args:
        limit: the number of bytes that are kept: the first half and the last half.
    """

    def __init__(self, limit: int) -> None:
        self._half = limit // 2
        self._head = bytearray()
        self._tail = bytearray()
        self.total = 0

    def add_bytes(self, data: bytes) -> None:
        """Add what the stream brought."""
        self.total += len(data)
        room = self._half - len(self._head)
        self._head += data[:room]
        self._tail += data[room:] if room > 0 else data
        if len(self._tail) > 4 * self._half:
            del self._tail[: -self._half]

    @property
    def is_truncated(self) -> bool:
        """True if bytes are left out."""
        return self.total > 2 * self._half

    def to_text(self) -> str:
        """Return the text, with a line that counts the bytes that are left out.

        Bytes that are not UTF-8 become U+FFFD.
        """
        if not self.is_truncated:
            return (self._head + self._tail).decode("utf-8", "replace")
        head, tail = bytes(self._head), bytes(self._tail[-self._half :])
        while tail and tail[0] in _CONTINUATION_BYTES:
            tail = tail[1:]
        head = head.decode("utf-8", "ignore").encode() if _ends_inside_character(head) else head
        left_out = self.total - len(head) - len(tail)
        texts = (head.decode("utf-8", "replace"), tail.decode("utf-8", "replace"))
        return f"\n[… {left_out:,} bytes left out …]\n".join(texts)


def _ends_inside_character(data: bytes) -> bool:
    """Return whether the last bytes begin a character of UTF-8 that is cut."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.end == len(data) and error.reason == "unexpected end of data"
    return False


def parse_output(text: str) -> Any:
    """Return the JSON value of a text; None if it is no JSON, or nested too deeply."""
    try:
        value = json.loads(text, parse_constant=_refuse_constant)
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()  # half of a character, and 1e999, are no values
    except (ValueError, RecursionError):
        return None
    return value if _measure_depth(value) <= MAX_DEPTH else None


def _refuse_constant(name: str) -> Any:
    raise ValueError(name)


def _measure_depth(value: Any) -> int:
    depth, level = 0, [value]
    while level and depth <= MAX_DEPTH:
        depth += 1
        inner = [one for one in level if isinstance(one, dict | list)]
        level = [one for outer in inner for one in (outer.values() if isinstance(outer, dict) else outer)]
    return depth
