"""Text that is safe to print, and the width of the terminal."""

from __future__ import annotations

import os
import sys

_CONTROLS = {*range(0x20), *range(0x7F, 0xA0)} - {ord("\n"), ord("\t")}
_REPLACEMENTS = dict.fromkeys(_CONTROLS, "\N{REPLACEMENT CHARACTER}")
PIPE_WIDTH = 120
_DEFAULT_WIDTH = 80


def strip_controls(text: str) -> str:
    """Replace terminal controls: the content of a file must not move the reader's cursor."""
    return text.replace("\r\n", "\n").translate(_REPLACEMENTS)


def to_single_line(text: str) -> str:
    """Return the text on one line."""
    return "".join(char if char.isprintable() else " " for char in strip_controls(text))


def has_fixed_width() -> bool:
    """Return whether lines have a maximum width: on a terminal, or with COLUMNS set."""
    return sys.stdout.isatty() or bool(_read_columns_variable())


def _read_columns_variable() -> int:
    """Return COLUMNS; 0 where it is not set, or invalid."""
    value = os.environ.get("COLUMNS", "")
    return int(value) if value.isdecimal() else 0


def get_console_width() -> int:
    """Return the width of the terminal in columns; a fixed number in a pipe."""
    if not has_fixed_width():
        return PIPE_WIDTH
    try:
        return _read_columns_variable() or os.get_terminal_size(sys.stdout.fileno()).columns or _DEFAULT_WIDTH
    except (OSError, ValueError):
        return _DEFAULT_WIDTH
