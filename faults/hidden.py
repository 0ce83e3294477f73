r"""Hidden characters of foreign text, written as visible escapes: `\x1b`, `\u202e`."""

from __future__ import annotations

import json
import re
from typing import Any

_HIDDEN = re.compile(
    "[\0-\x08\x0b-\x1f\x7f-\x9f"  # C0 without tab and line feed, DEL, C1
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u206f"  # direction of writing
    "\u00ad\u034f\u180e\u200b\u2060-\u2065\ufeff\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"  # zero width
    "\u115f\u1160\u17b4\u17b5\u3164\uffa0"  # letters without a shape
    "\u180b-\u180d\u180f\ufe00-\ufe0f"  # variation selectors, of which `_is_selector_in_place` keeps some
    "\U000e0000-\U000e0fff"  # tags, and the supplement of the variation selectors
    "\u2028\u2029\ud800-\udfff]"  # line and paragraph separator, half of a character
)
"""All that Unicode calls default-ignorable but U+200C and U+200D, which writing systems and emoji need; and controls.

One class, without alternatives: only for such a pattern does `re` skip the characters that are not in it quickly.
"""
_SELECTORS = frozenset("\u180b\u180c\u180d\u180f" + "".join(map(chr, range(0xFE00, 0xFE10))))
_JOINERS = "\u200c\u200d"
_BREAKS = str.maketrans("\n\t", "  ")


def show_hidden(text: str) -> str:
    r"""Replace characters that move a cursor, reorder text or are invisible by escapes.

    Tabs and line breaks remain; `\r\n` becomes `\n`. The result is safe to print, and a second call changes nothing.
    """
    if text.isascii() and text.isprintable():
        return text
    return _HIDDEN.sub(_escape_character, text.replace("\r\n", "\n"))


def show_hidden_line(text: str) -> str:
    """Return the text on one line, with hidden characters as escapes."""
    return show_hidden(text).translate(_BREAKS)


def show_hidden_name(text: str) -> str:
    r"""Return the name of a file on one line, with every hidden character, tab and line break as an escape."""
    return show_hidden(text.replace("\r", "\\x0d")).replace("\n", r"\n").replace("\t", r"\t")


def show_hidden_values(value: Any) -> Any:
    """Return the same JSON value with the hidden characters of all texts and keys as escapes."""
    if isinstance(value, str):
        return show_hidden(value)
    if isinstance(value, dict):
        return {show_hidden_values(key): show_hidden_values(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [show_hidden_values(inner) for inner in value]
    return value


def escape_json(text: str) -> str:
    """Replace the hidden characters of a JSON document by JSON's own escapes; its value stays the same."""
    if text.isascii() and "\x7f" not in text:
        return text
    return _HIDDEN.sub(_escape_for_json, text)


def _escape_character(found: re.Match[str]) -> str:
    char = found[0]
    if char in _SELECTORS and _is_selector_in_place(found):
        return char
    return char.encode("ascii", "backslashreplace").decode() if char > "\x7f" else f"\\x{ord(char):02x}"


def _escape_for_json(found: re.Match[str]) -> str:
    char = found[0]
    if char in _SELECTORS and _is_selector_in_place(found):
        return char
    return json.dumps(char)[1:-1].replace("\x7f", "\\u007f")


def _is_selector_in_place(found: re.Match[str]) -> bool:
    """Return True for a variation selector after a visible character; a run of them can hide a text."""
    start = found.start()
    before = found.string[start - 1] if start else " "
    return not (before.isspace() or before in _JOINERS or _HIDDEN.match(before))
