"""Output at the terminal: lines, tables and values, coloured where a person looks at them.

This is the one writer of colours. It does without rich, which takes 20 ms to import: a fifth of `aur mem search`.
"""

from __future__ import annotations

import json
import os
import sys
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import click

from aurora.errors import escape_json, show_hidden, show_hidden_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence, Sized
    from typing import TextIO

Part: TypeAlias = "str | tuple[str | None, str] | None"
"""A text, or a text and its style: `bold`, `dim`, a colour, or several of them."""


def put(before: str, value: object, after: str = "") -> str:
    """Return a value between two texts, a list with commas; empty for an absent or empty one."""
    if isinstance(value, list | tuple):
        value = ", ".join(map(str, value))
    return "" if value is None or value == "" else f"{before}{value}{after}"


class Column(NamedTuple):
    """Column of a table.

    Attributes:
        title: its heading; also names it where it is dropped.
        drop_order: the column with the highest number is dropped first where there is no room; 0 is never dropped.
        wraps: whether its text may continue on the next line.
        is_number: whether its text is aligned to the right.
    """

    title: str
    drop_order: int = 0
    wraps: bool = False
    is_number: bool = False


class Output:
    """Lines for standard output or another stream; no text of theirs can control the terminal.

    Args:
        stream: the stream; standard output by default.

    Attributes:
        is_terminal: whether the stream is one.
        has_color: whether parts can be told apart by their style.
        width: columns of the terminal; a fixed number in a pipe.
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stdout
        self.is_terminal = self._stream.isatty()
        self.has_color = _is_color_wanted(is_terminal=self.is_terminal)
        self.width = get_console_width()

    def line(self, *parts: Part, cut: bool = False, apart: bool = False) -> None:
        """Print a line: an empty one without parts, and nothing where all parts are empty.

        Args:
            parts: from left to right.
            cut: whether a line that is too long ends with an ellipsis; else the terminal breaks it.
            apart: whether an empty line precedes it.
        """
        shown = [(show_hidden_line(text), style) for text, style in map(_to_pair, parts) if text]
        if parts and not shown:
            return
        if apart:
            self._write("")
        self._write(self._paint(_cut_parts(shown, self.width) if cut else shown))

    def text(self, text: str | None, style: str = "", *, wraps: bool = False, indent: str = "") -> None:
        """Print a text of several lines, broken at words with `wraps`; nothing for an empty one."""
        for line in show_hidden(text or "").rstrip().split("\n") if text else ():
            for piece in _wrap_text(line, self.width - len(indent)) if wraps else [line]:
                self._write(self._paint([(indent + piece, style)]))

    def table(self, columns: Sequence[Column], rows: Sequence[Sequence[Part]], *, titled: bool = True) -> None:
        """Print rows, and name the columns that had no room; in a pipe, print all of them and one line a row.

        Without rows it prints nothing.

        Args:
            columns: from left to right.
            rows: a cell for each column.
            titled: whether to print the headings.
        """
        cells = [[(show_hidden_line(text), own) for text, own in map(_to_pair, row)] for row in rows]
        if titled and rows:
            cells.insert(0, [(column.title, "dim") for column in columns])
        kept, widths = _lay_out(columns, cells, self.width)
        for row in cells:
            for line in zip_longest(*(_wrap_text(row[at][0], widths[at]) for at in kept), fillvalue=""):
                self._write_row(line, [(columns[at], widths[at], row[at][1]) for at in kept])
        dropped = [column.title for at, column in enumerate(columns) if at not in kept]
        self.text(put("hidden at this width: ", dropped, " (--json shows them)"), "dim", wraps=True)

    def _write_row(self, texts: Sequence[str], layout: Sequence[tuple[Column, int, str]]) -> None:
        parts: list[tuple[str, str]] = []
        for text, (column, width, style) in zip(texts, layout, strict=True):
            space = " " * (width - count_cells(text))
            parts += [(space, ""), (text, style)] if column.is_number else [(text, style), (space, "")]
            parts.append((" " * _COLUMN_GAP, ""))
        while parts and not parts[-1][0].strip():
            parts.pop()
        self._write(self._paint(parts))

    def report(self, rows: Mapping[str, str | None]) -> None:
        """Print labels with their values, one a row, the values aligned; an empty value has no row."""
        shown: list[Sequence[Part]] = [((label, "dim"), text) for label, text in rows.items() if text]
        if shown:
            self.table([Column("label"), Column("value", wraps=True)], shown, titled=False)

    def tree(self, value: Any, label: str = "  ") -> None:
        """Print a JSON value in indented lines, the label in front of the first; nothing for an empty one."""
        for line in format_json_lines(value) if value else ():
            self.line((label, "dim"), line)
            label = " " * len(label)

    def more(self, offset: int | None, word: str = "more", *, apart: bool = False) -> None:
        """Print the option that continues after a page; nothing after the last one."""
        self.line((put(f"{word}: --offset ", offset), "dim"), apart=apart)

    def raw(self, text: str) -> None:
        """Write a text for other programs: not wrapped, not coloured, without hidden characters."""
        self._stream.write(show_hidden(text))

    def ask(self, prompt: str) -> None:
        """Write what stands in front of the answer that a person types."""
        self.raw(prompt)
        self._stream.flush()

    def _paint(self, parts: Sequence[tuple[str, str]]) -> str:
        if not self.has_color:
            return "".join(text for text, _ in parts)
        return "".join(click.style(text, **_read_style(style)) if style and text else text for text, style in parts)

    def _write(self, line: str) -> None:
        click.echo(line, file=self._stream, color=self.has_color)


PIPE_WIDTH = 120
_DEFAULT_WIDTH = 80
_COLUMN_GAP = 2
_MIN_WRAP_WIDTH = 16
"""Columns that a text keeps at least when it wraps."""
_ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"


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


def _is_color_wanted(*, is_terminal: bool) -> bool:
    """Return whether to use colours; NO_COLOR disables them, FORCE_COLOR enables them."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM", "").lower() in {"dumb", "unknown"}:
        return False
    return bool(os.environ.get("FORCE_COLOR")) or is_terminal


def _to_pair(part: Part) -> tuple[str, str]:
    text, style = part if isinstance(part, tuple) else (part, "")
    return text or "", style


def _read_style(style: str) -> dict[str, Any]:
    """Return the arguments of `click.style` for `bold yellow`."""
    words = style.split()
    colors = [word for word in words if word not in {"bold", "dim"}]
    return {"bold": True if "bold" in words else None, "dim": True if "dim" in words else None} | (
        {"fg": colors[0]} if colors else {}
    )


def _lay_out(
    columns: Sequence[Column], cells: Sequence[Sequence[tuple[str, str]]], room: int
) -> tuple[list[int], list[int]]:
    """Return the positions of the columns that fit, and the widths of all."""
    widths = [max([1, *(count_cells(row[at][0]) for row in cells)]) for at in range(len(columns))]
    return _fit_columns(columns, widths, room) if has_fixed_width() else (list(range(len(columns))), widths)


def _fit_columns(columns: Sequence[Column], widths: list[int], room: int) -> tuple[list[int], list[int]]:
    """Return the positions of the columns that fit, and the widths of all."""
    kept = list(range(len(columns)))
    least = [min(width, _MIN_WRAP_WIDTH) if columns[at].wraps else width for at, width in enumerate(widths)]
    while _sum_widths([least[at] for at in kept]) > room:
        first = max(kept, key=lambda at: columns[at].drop_order)
        if not columns[first].drop_order:
            break
        kept.remove(first)
    widths = list(widths)
    while (over := _sum_widths([widths[at] for at in kept]) - room) > 0:
        widest = max(kept, key=lambda at: (widths[at] > least[at], widths[at]))
        if widths[widest] == 1:
            break
        widths[widest] -= min(over, max(1, (widths[widest] - least[widest]) // 2))
    return kept, widths


def _sum_widths(widths: Sequence[int]) -> int:
    """Return the length of a line with columns of these widths."""
    return sum(widths) + _COLUMN_GAP * (len(widths) - 1)


def _wrap_text(text: str, width: int) -> list[str]:
    """Return the text in lines of at most so many columns, broken at blanks, and within longer words."""
    if count_cells(text) <= width:
        return [text]
    lines: list[str] = []
    line = ""
    for word in text.split(" "):
        joined = f"{line} {word}" if line else word
        if count_cells(joined) <= width:
            line = joined
            continue
        if line:
            lines.append(line)
        line = word
        while count_cells(line) > width:
            head = _truncate_text(line, width) or line[:1]
            lines.append(head)
            line = line[len(head) :]
    return [*lines, line]


def _cut_parts(parts: Sequence[tuple[str, str]], width: int) -> Sequence[tuple[str, str]]:
    """Return the parts that fit; the last one ends with an ellipsis where text is cut."""
    if count_cells("".join(text for text, _ in parts)) <= width:
        return parts
    kept: list[tuple[str, str]] = []
    left = width - 1
    for text, style in parts:
        short = text if count_cells(text) <= left else _truncate_text(text, left)
        kept.append((short, style))
        left -= count_cells(short)
        if short != text:
            break
    last, style = kept[-1]
    return [*kept[:-1], (last + _ELLIPSIS, style)]


def _truncate_text(text: str, width: int) -> str:
    """Return the beginning of the text that fits into so many columns."""
    for at, char in enumerate(text):
        width -= count_cells(char)
        if width < 0:
            return text[:at]
    return text


_WIDE_CLASSES = frozenset("WF")
_ZERO_WIDTH_CATEGORIES = frozenset({"Mn", "Me", "Cf"})


def count_cells(text: str) -> int:
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


def format_count(counted: int | Sized, noun: str) -> str:
    """Return `1 file`, `2 files`, `1,204 files`: a number, or the length of what is counted."""
    count = counted if isinstance(counted, int) else len(counted)
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def format_timestamp(stamp: str) -> str:
    """Return an ISO 8601 timestamp in UTC as `2026-03-04 05:06:07`."""
    return stamp[:19].replace("T", " ")


_MAX_FLAT = 100
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
    return escape_json(text) if len(text) <= _MAX_FLAT else None


def _to_scalar_text(value: Any) -> str:
    return show_hidden(value) if isinstance(value, str) else json.dumps(value)
