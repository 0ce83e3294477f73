"""Width of the terminal."""

from __future__ import annotations

import os
import sys

PIPE_WIDTH = 120
_DEFAULT_WIDTH = 80


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
