"""Coloured lines without rich: a command that answers in a few milliseconds must not wait for a library to load."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import click

from .console import width

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
}
"""What a part of a line is -> how a terminal shows it."""

_ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"
_WIDE = frozenset("WF")
_WITHOUT_WIDTH = frozenset({"Mn", "Me", "Cf"})


class Ink:
    """Lines for standard output: coloured where a terminal wants it, and cut to its width where that is asked.

    Attributes:
        lines: those that were added, as they will be printed.
    """

    def __init__(self) -> None:
        self._coloured = _wants_colours()
        self._width = width()
        self.lines: list[str] = []

    def line(self, *parts: tuple[str, str], cut: bool = False) -> None:
        """Add a line.

        Args:
            parts: `(text, style)` from left to right; the text holds no controls, the style is one of `STYLES`.
            cut: whether what does not fit is left out behind an ellipsis; else the terminal breaks the line itself.
        """
        shown = _fitting(parts, self._width) if cut else parts
        self.lines.append(
            "".join(click.style(text, **STYLES[style]) if self._coloured and style else text for text, style in shown)
        )

    def show(self) -> None:
        """Print all lines at once.

        Raises:
            BrokenPipeError: who read them is gone.
        """
        if self.lines:
            click.echo("\n".join(self.lines), color=self._coloured)


def _wants_colours() -> bool:
    """As rich decides it: NO_COLOR and a terminal that can do nothing say no, FORCE_COLOR says yes anywhere."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM", "").lower() in {"dumb", "unknown"}:
        return False
    return bool(os.environ.get("FORCE_COLOR")) or sys.stdout.isatty()


def _fitting(parts: tuple[tuple[str, str], ...], width: int) -> list[tuple[str, str]]:
    """The parts as far as they fit, the last with an ellipsis where something is left out."""
    if _cells("".join(text for text, _ in parts)) <= width:
        return list(parts)
    kept: list[tuple[str, str]] = []
    left = width - 1
    for text, style in parts:
        short = text if _cells(text) <= left else _begin(text, left)
        kept.append((short, style))
        left -= _cells(short)
        if short != text:
            break
    last, style = kept[-1]
    return [*kept[:-1], (last + _ELLIPSIS, style)]


def _begin(text: str, width: int) -> str:
    """As much of the text as so many columns hold."""
    for at, char in enumerate(text):
        width -= _cells(char)
        if width < 0:
            return text[:at]
    return text


def _cells(text: str) -> int:
    """The columns that a text takes: two for what is wide in East Asia, none for a mark on the character before."""
    if text.isascii():
        return len(text)
    import unicodedata  # noqa: PLC0415 - a library to load, which few lines need

    return sum(
        0 if unicodedata.category(char) in _WITHOUT_WIDTH else 1 + (unicodedata.east_asian_width(char) in _WIDE)
        for char in text
    )
