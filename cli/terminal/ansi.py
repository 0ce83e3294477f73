"""ANSI output without rich, for commands that answer before rich is loaded."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import click

from .console import get_console_width

if TYPE_CHECKING:
    from collections.abc import Mapping

STYLES: Mapping[str, Mapping[str, Any]] = {
    "": {},
    "place": {"fg": "cyan", "bold": True},
    "name": {"bold": True},
    "good": {"fg": "green"},
    "reason": {"fg": "green", "dim": True},
    "quiet": {"dim": True},
    "notice": {"fg": "yellow"},
    "match": {"fg": "red", "bold": True},
}
"""Role of a part of a line -> its style."""

_ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"
_WIDE_CLASSES = frozenset("WF")
_ZERO_WIDTH_CATEGORIES = frozenset({"Mn", "Me", "Cf"})


class StyledOutput:
    """Lines for standard output, coloured on a terminal and cut to its width on request.

    Attributes:
        lines: the added lines, with their colours.
    """

    def __init__(self) -> None:
        self._has_color = _is_color_wanted()
        self._width = get_console_width()
        self.lines: list[str] = []

    @property
    def has_color(self) -> bool:
        """True if parts can be told apart."""
        return self._has_color

    def add_line(self, *parts: tuple[str, str], cut: bool = False) -> None:
        """Add a line.

        Args:
            parts: `(text, style)` from left to right; the text holds no controls, the style is one of `STYLES`.
            cut: whether to end a line that is too long with an ellipsis; else the terminal breaks it.
        """
        shown = _truncate_parts(parts, self._width) if cut else parts
        self.lines.append(
            "".join(click.style(text, **STYLES[style]) if self._has_color and style else text for text, style in shown)
        )

    def write(self) -> None:
        """Print all lines.

        Raises:
            BrokenPipeError: the reader closed the pipe.
        """
        if self.lines:
            click.echo("\n".join(self.lines), color=self._has_color)


def _is_color_wanted() -> bool:
    """Return whether to use colours, as rich decides: NO_COLOR disables them, FORCE_COLOR enables them."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM", "").lower() in {"dumb", "unknown"}:
        return False
    return bool(os.environ.get("FORCE_COLOR")) or sys.stdout.isatty()


def _truncate_parts(parts: tuple[tuple[str, str], ...], width: int) -> list[tuple[str, str]]:
    """Return the parts that fit; the last one ends with an ellipsis where text is cut."""
    if _count_cells("".join(text for text, _ in parts)) <= width:
        return list(parts)
    kept: list[tuple[str, str]] = []
    left = width - 1
    for text, style in parts:
        short = text if _count_cells(text) <= left else _truncate_text(text, left)
        kept.append((short, style))
        left -= _count_cells(short)
        if short != text:
            break
    last, style = kept[-1]
    return [*kept[:-1], (last + _ELLIPSIS, style)]


def _truncate_text(text: str, width: int) -> str:
    """Return the beginning of the text that fits into so many columns."""
    for at, char in enumerate(text):
        width -= _count_cells(char)
        if width < 0:
            return text[:at]
    return text


def _count_cells(text: str) -> int:
    """Return the width of a text in columns: 2 for East Asian wide characters, 0 for combining marks."""
    if text.isascii():
        return len(text)
    import unicodedata  # noqa: PLC0415 - loaded only for text that is not ASCII

    return sum(
        0
        if unicodedata.category(char) in _ZERO_WIDTH_CATEGORIES
        else 1 + (unicodedata.east_asian_width(char) in _WIDE_CLASSES)
        for char in text
    )
