"""Plain terminal output without rich: width, units, JSON as lines, and styled lines."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING, Any

import click

from aurora.faults import escape_json, show_hidden

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


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


_THOUSAND = 1000.0


def format_bytes(count: float) -> str:
    """Return `1.4 MB`: decimal units, one digit after the point from kB on."""
    if count < _THOUSAND:
        return f"{count:,.0f} B"
    for unit in ("kB", "MB", "GB"):
        count /= _THOUSAND
        if count < _THOUSAND:
            return f"{count:.1f} {unit}"
    return f"{count / _THOUSAND:,.1f} TB"


def format_count(count: int, noun: str) -> str:
    """Return `1 file`, `2 files`, `1,204 files`."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def format_timestamp(stamp: str) -> str:
    """Return an ISO 8601 timestamp in UTC as `2026-03-04 05:06:07`."""
    return stamp[:19].replace("T", " ")


_MAX_WIDTH = 100
"""A value whose JSON is not longer than this stays on one line."""


def format_json_lines(value: Any, indent: str = "") -> Iterator[str]:
    """Yield the lines of a value; short values on one line, long texts with their own line breaks."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _format_entry(f"{indent}{show_hidden(str(key))}:", inner, indent)
    elif isinstance(value, list):
        for inner in value:
            yield from _format_entry(f"{indent}-", inner, indent)
    else:
        yield from (f"{indent}{line}" for line in _to_scalar_text(value).splitlines() or [""])


def _format_entry(head: str, value: Any, indent: str) -> Iterator[str]:
    flat = _to_compact_json(value) if isinstance(value, dict | list) else _to_scalar_text(value)
    if flat is not None and "\n" not in flat:
        yield f"{head} {flat}"
        return
    yield head
    yield from format_json_lines(value, indent + "  ")


def _to_compact_json(value: Any) -> str | None:
    if isinstance(value, dict) and any(isinstance(inner, dict | list) for inner in value.values()):
        return None
    text = json.dumps(value, ensure_ascii=False)
    return escape_json(text) if len(text) <= _MAX_WIDTH else None


def _to_scalar_text(value: Any) -> str:
    return show_hidden(value) if isinstance(value, str) else json.dumps(value)


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
