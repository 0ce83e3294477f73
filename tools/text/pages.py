"""Pages of a long text that fit into one response."""

from __future__ import annotations

import json
from dataclasses import dataclass

from aurora.faults import Code, Fault


@dataclass(frozen=True, slots=True)
class TextPage:
    """Page of a text; `next` is the offset of the next page, or None at the end."""

    text: str
    offset: int
    total: int
    next: int | None


def count_json_chars(text: str) -> int:
    """Return the length of a text in compact JSON, with its escapes."""
    return len(json.dumps(text, ensure_ascii=False))


def cut_page(text: str, offset: int, room: int) -> TextPage:
    """Return the page of `text` from `offset` with at most `room` characters of JSON.

    It ends at a line break if one is in its second half, else within a line.

    Raises:
        Fault: INVALID_INPUT for an offset past the end.
    """
    total = len(text)
    if offset and offset >= total:
        raise Fault(
            Code.INVALID_INPUT,
            f"offset {offset} is past the end: the text has {total} characters",
            help="Send the next_offset of the previous page, or omit it to start again.",
            details={"faults": [{"path": "$.offset", "expected": f"less than {total}"}], "total_chars": total},
        )
    rest = text[offset : offset + room]
    while rest and count_json_chars(rest) > room:  # escapes make it longer, so shrink it until it fits
        rest = rest[: max(1, len(rest) * room // count_json_chars(rest) - 1)] if len(rest) > 1 else ""
    if offset + len(rest) >= total:
        return TextPage(rest, offset, total, None)
    line = rest.rfind("\n") + 1
    if line > len(rest) // 2:
        rest = rest[:line]
    return TextPage(rest, offset, total, offset + len(rest))
