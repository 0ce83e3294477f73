"""What may be shown on a terminal, and how wide it is."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

_KEPT = {"\n", "\t"}
WIDTH_OF_A_PIPE = 120
_USUAL_WIDTH = 80


def plain(text: str) -> str:
    """The text without terminal controls: a file's content must not move the cursor of who reads about it."""
    return "".join(
        char if char in _KEPT or not (ord(char) < 0x20 or 0x7F <= ord(char) < 0xA0) else "\N{REPLACEMENT CHARACTER}"  # noqa: PLR2004 - the two blocks of control characters
        for char in text.replace("\r\n", "\n")
    )


def flat(text: str) -> str:
    """The text on one line."""
    return "".join(char if char.isprintable() else " " for char in plain(text))


def bounded() -> bool:
    """Whether a line has an end: on a terminal, or where COLUMNS names one."""
    return sys.stdout.isatty() or bool(_named())


def _named() -> int:
    """What COLUMNS says; 0 where it says nothing, and some containers say 0."""
    said = os.environ.get("COLUMNS", "")
    return int(said) if said.isdecimal() else 0


def width() -> int:
    """Columns of the screen; a fixed number in a pipe."""
    if not bounded():
        return WIDTH_OF_A_PIPE
    try:
        return _named() or os.get_terminal_size(sys.stdout.fileno()).columns or _USUAL_WIDTH
    except (OSError, ValueError):
        return _USUAL_WIDTH


def console() -> Console:
    """Standard output for people: colours on a terminal only (NO_COLOR is honoured), a fixed width in a pipe."""
    from .rich_console import Paper  # noqa: PLC0415 - JSON output and help do without rich

    return Paper(file=sys.stdout, width=width(), highlight=False, markup=False, emoji=False, soft_wrap=False)
