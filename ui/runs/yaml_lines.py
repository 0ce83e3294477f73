"""YAML of a JSON value, line by line.

The dumper of ruamel takes 1.6 MB of the page's memory, and writes everything at once.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

_STEP = "  "
_MAX_BLOCKS = 20
"""Depth of the block style; deeper values are in brackets."""
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
_RESERVED = frozenset(["true", "false", "null", "yes", "no", "on", "off", "y", "n"])
"""Words that YAML 1.1 or 1.2 reads as another value than a text, in small letters."""
_NOT_PRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
"""What YAML 1.2, section 5.1, has escaped in a quoted text and JSON has not, and the line ends of YAML 1.1."""
_LONG = 100
_UNIT = r"(?:(?!\\n)(?:\\u[0-9a-f]{4}|\\.|[^\\]))"
"""A character of a quoted text, or its escape."""
_PIECE = re.compile(rf"{_UNIT}{{0,{_LONG}}}\\n|{_UNIT}{{1,{_LONG}}}(?:(?<= )|\Z)|{_UNIT}{{1,{_LONG}}}")
"""The next 100 characters of a quoted text, up to the end of one of its lines, or else of a word."""


def write_lines(value: Any) -> Iterator[str]:
    """Write a JSON value as the lines of a YAML 1.2 document, each with its line end.

    A text is quoted as in JSON unless it is a word; a long one continues on further lines, after its own line ends
    where it has some. Half of a surrogate pair becomes a question mark.

    Args:
        value: the value, with texts as keys.
    """
    if _is_block(value, 0):
        yield from _write_block(value, 0)
    else:
        yield f"{_write_scalar(value, _STEP)}\n"


def _is_block(value: Any, depth: int) -> bool:
    return isinstance(value, dict | list) and bool(value) and depth < _MAX_BLOCKS


def _write_block(value: Any, depth: int) -> Iterator[str]:
    indent = _STEP * depth
    if isinstance(value, dict):
        for key, inner in value.items():
            name = _write_word(str(key))
            if _is_block(inner, depth + 1):
                yield f"{indent}{name}:\n"
                yield from _write_block(inner, depth + 1)
            else:
                yield f"{indent}{name}: {_write_scalar(inner, indent + _STEP)}\n"
        return
    for inner in value:
        if _is_block(inner, depth + 1):
            lines = _write_block(inner, depth + 1)
            yield f"{indent}- {next(lines)[len(indent) + 2 :]}"
            yield from lines
        else:
            yield f"{indent}- {_write_scalar(inner, indent + _STEP)}\n"


def _write_scalar(value: Any, indent: str) -> str:
    """Write a scalar, or a collection in brackets; the lines of a long text are indented so."""
    if not isinstance(value, str):
        return _escape(json.dumps(value, ensure_ascii=False))
    text = _write_word(value)
    if len(text) <= _LONG and "\\n" not in text:
        return text
    first, *others = _PIECE.findall(text)
    if others and others[-1] == '"':
        others.pop()
        *before, last = first, *others
        first, *others = *before, f'{last}"'
    # A line break is no part of the text after a backslash, nor are the blanks at the start of the next line.
    return f"\\\n{indent}".join((first, *(f"\\{piece}" if piece.startswith(" ") else piece for piece in others)))


def _write_word(text: str) -> str:
    """Write a text as it is if nothing else can be read in it, else in quotes."""
    if _WORD.fullmatch(text) and text.lower() not in _RESERVED:
        return text
    return _escape(json.dumps(text, ensure_ascii=False))


def _escape(text: str) -> str:
    whole = text.encode("utf-8", "replace").decode()
    return _NOT_PRINTABLE.sub(lambda match: f"\\u{ord(match[0]):04x}", whole)
