r"""Hidden characters of foreign text, written as visible escapes: `\x1b`, `\u202e`."""

from __future__ import annotations

import json
import re
from typing import Any

_HIDDEN = re.compile(
    "[\0-\x08\x0b-\x1f\x7f-\x9f"  # C0 without tab and line feed, DEL, C1
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u206f"  # direction of writing
    "\u00ad\u180e\u200b\u2060-\u2064\ufeff\ufff9-\ufffb\U000e0000-\U000e007f"  # zero width, tags
    "\u2028\u2029\ud800-\udfff]"  # line and paragraph separator, half of a character
)
"""U+200C and U+200D are absent: writing systems and emoji need them."""
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
    return _HIDDEN.sub(lambda found: json.dumps(found[0])[1:-1].replace("\x7f", "\\u007f"), text)


def _escape_character(found: re.Match[str]) -> str:
    return found[0].encode("ascii", "backslashreplace").decode() if found[0] > "\x7f" else f"\\x{ord(found[0]):02x}"
