"""A long text in pages that fit into one response."""

from __future__ import annotations

import json
from dataclasses import dataclass

from aurora.faults import Code, Fault


@dataclass(frozen=True, slots=True)
class TextPage:
    """A part of a text; `next` is the offset of what follows, None when this is the end."""

    text: str
    offset: int
    total: int
    next: int | None


def count_json_chars(text: str) -> int:
    """How many characters a text takes in compact JSON, with its escapes."""
    return len(json.dumps(text, ensure_ascii=False))


def cut_page(text: str, offset: int, room: int) -> TextPage:
    """The part of `text` from `offset` that takes at most `room` characters of JSON.

    It ends with a whole line where one ends in its second half, else in the middle of one.

    Raises:
        Fault: INVALID_INPUT when the offset lies past the end.
    """
    total = len(text)
    if offset and offset >= total:
        raise Fault(
            Code.INVALID_INPUT,
            f"offset {offset} lies past the end: the text has {total} characters",
            help="Send the next_offset of the page before, or leave it out to begin again.",
            details={"faults": [{"path": "$.offset", "expected": f"less than {total}"}], "total_chars": total},
        )
    rest = text[offset : offset + room]
    while rest and count_json_chars(rest) > room:  # escapes only ever lengthen it, so this shrinks to what fits
        rest = rest[: max(1, len(rest) * room // count_json_chars(rest) - 1)] if len(rest) > 1 else ""
    if offset + len(rest) >= total:
        return TextPage(rest, offset, total, None)
    line = rest.rfind("\n") + 1
    if line > len(rest) // 2:
        rest = rest[:line]
    return TextPage(rest, offset, total, offset + len(rest))
