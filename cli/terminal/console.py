"""What may be shown on a terminal, and how wide it is."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

_ALLOWED_CONTROLS = {"\n", "\t"}
PIPE_WIDTH = 120
_DEFAULT_WIDTH = 80


def strip_controls(text: str) -> str:
    """The text without terminal controls: a file's content must not move the cursor of who reads about it."""
    return "".join(
        char
        if char in _ALLOWED_CONTROLS or not (ord(char) < 0x20 or 0x7F <= ord(char) < 0xA0)  # noqa: PLR2004 - C0 and C1
        else "\N{REPLACEMENT CHARACTER}"
        for char in text.replace("\r\n", "\n")
    )


def to_single_line(text: str) -> str:
    """The text on one line."""
    return "".join(char if char.isprintable() else " " for char in strip_controls(text))


def has_fixed_width() -> bool:
    """Whether a line has an end: on a terminal, or where COLUMNS names one."""
    return sys.stdout.isatty() or bool(_read_columns_variable())


def _read_columns_variable() -> int:
    """What COLUMNS says; 0 where it says nothing, and some containers say 0."""
    said = os.environ.get("COLUMNS", "")
    return int(said) if said.isdecimal() else 0


def get_console_width() -> int:
    """Columns of the screen; a fixed number in a pipe."""
    if not has_fixed_width():
        return PIPE_WIDTH
    try:
        return _read_columns_variable() or os.get_terminal_size(sys.stdout.fileno()).columns or _DEFAULT_WIDTH
    except (OSError, ValueError):
        return _DEFAULT_WIDTH


def make_console() -> Console:
    """Standard output for people: colours on a terminal only (NO_COLOR is honoured), a fixed width in a pipe."""
    from .rich_console import PipeSafeConsole  # noqa: PLC0415 - JSON output and help do without rich

    return PipeSafeConsole(
        file=sys.stdout, width=get_console_width(), highlight=False, markup=False, emoji=False, soft_wrap=False
    )
