"""Declared terminal views: blocks that print a tool's output from templates."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from string import Formatter
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypeAlias

from rich.table import Table as Grid
from rich.text import Text

from aurora.cli.terminal import Column, format_bytes, format_count, format_json_lines, format_timestamp, print_table
from aurora.faults import show_hidden, show_hidden_line, show_hidden_name

if TYPE_CHECKING:
    from rich.console import Console


class Line:
    """One line of text; nothing when all its parts are absent.

    Args:
        parts: from left to right.
        style: of the parts that have none.
        when: the condition to print the line.
        before: text in front of the first part.
        overflow: what happens to a line that is too long: the terminal breaks it, it wraps at a word, or it is cut.
        apart: whether an empty line precedes it.
    """

    def __init__(
        self,
        *parts: AnyPart,
        style: Style = "",
        when: Condition | None = None,
        before: str = "",
        overflow: Literal["break", "wrap", "cut"] = "break",
        apart: bool = False,
    ) -> None:
        self.parts = to_parts(parts)
        self._style, self._before = style, before
        self.when = when
        self._overflow, self._apart = overflow, apart

    def print_item(self, item: Item, console: Console) -> None:
        """Print the line."""
        if not is_met(self.when, item):
            return
        line = Text()
        for part in self.parts:
            if is_met(part.when, item):
                line.append(fill_template(part.text, item), style=resolve_style(part.style or self._style, item))
        if not line:
            return
        if self._apart:
            console.print()
        line = Text.assemble(self._before, line)
        if self._overflow == "cut":
            console.print(line, no_wrap=True, overflow="ellipsis")
        else:
            console.print(line, soft_wrap=self._overflow == "break")


Item: TypeAlias = Mapping[str, Any]


Source: TypeAlias = str | Callable[[Item], str]
"""A template, or a function that makes the text; an empty text is absent."""


Condition: TypeAlias = str | Callable[[Item], Any]
"""A field that must be true, `!field` that must not, or a function."""


Style: TypeAlias = str | Callable[[Item], str]
"""A style of rich's, or a function that chooses one."""


class Part(NamedTuple):
    """A part of a line: a text, its style, and the condition to show it."""

    text: Source
    style: Style = ""
    when: Condition | None = None


AnyPart: TypeAlias = Source | tuple[Source, Style] | Part
"""A part in its shortest spelling."""


def to_parts(parts: Sequence[AnyPart]) -> tuple[Part, ...]:
    """Return the parts in their full spelling."""
    return tuple(Part(*part) if isinstance(part, tuple) else Part(part) for part in parts)


def resolve_style(style: Style, item: Item) -> str:
    """Return the name of the style for an item."""
    return style if isinstance(style, str) else style(item)


def look_up(field: str, item: Item) -> Any:
    """Return the value at a path; None where there is none."""
    value: Any = item
    for name in field.split("."):
        if isinstance(value, Mapping):
            value = value.get(name)
        elif _is_list(value) and name.isdecimal() and int(name) < len(value):
            value = value[int(name)]
        else:
            return None
    return value


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def is_met(condition: Condition | None, item: Item) -> bool:
    """Return whether there is no condition, or it is true for the item."""
    if condition is None:
        return True
    if isinstance(condition, str):
        return bool(look_up(condition.removeprefix("!"), item)) != condition.startswith("!")
    return bool(condition(item))


def fill_template(source: Source, item: Item) -> str:
    """Return the text of a source on one line; empty where it names an absent value."""
    if not isinstance(source, str):
        return show_hidden_line(source(item))
    try:
        return show_hidden_line(_FORMATTER.vformat(source, (), item))
    except _AbsentError:
        return ""


def _join_values(value: Any, separator: str) -> str:
    return (separator or ", ").join(map(str, value))


def _count_values(value: Any, noun: str) -> str:
    return format_count(value if isinstance(value, int) else len(value), noun)


FORMATS: Mapping[str, Callable[[Any, str], str]] = {
    "bytes": lambda value, _: format_bytes(value),
    "count": _count_values,
    "join": _join_values,
    "json": lambda value, _: json.dumps(value, ensure_ascii=False),
    "size": lambda value, _: f"{len(value):,}",
    "time": lambda value, _: format_timestamp(value),
}
"""Formats by name; after a space comes their argument: `{files:count file}`, `{phases:join  → }`."""


_NAMES = frozenset({"path", "file"})
"""Fields with the name of a file, which is shown with its tabs and line breaks."""

_OF_EMPTY = ("count", "size", "json")
"""Formats that have a text for an empty list or object."""


class _AbsentError(LookupError):
    """A template names an absent value."""


class _TemplateFormatter(Formatter):
    def get_field(self, field_name: str, _args: Any, kwargs: Any) -> tuple[Any, str]:
        value = look_up(field_name, kwargs)
        if value is None or value == "":
            raise _AbsentError
        is_name = isinstance(value, str) and field_name.rpartition(".")[2] in _NAMES
        return show_hidden_name(value) if is_name else value, field_name

    def format_field(self, value: Any, format_spec: str) -> str:
        name, _, argument = format_spec.partition(" ")
        if isinstance(value, Mapping | Sequence) and not value and name not in _OF_EMPTY:
            raise _AbsentError
        return FORMATS[name](value, argument) if name in FORMATS else format(value, format_spec)


_FORMATTER = _TemplateFormatter()

MORE = Line(("more: --offset {next_offset}", "dim"))
"""The line that tells the option to continue after a page."""


NOTE = Line(("{note}", "yellow"))


Items: TypeAlias = str | Callable[[Item], Sequence[Any]]
"""The field of a list, or a function that makes one."""


class Block(Protocol):
    """A piece of a view."""

    def print_item(self, item: Item, console: Console) -> None:
        """Print what the block shows of an item."""


class View:
    """The terminal view of a tool: blocks from top to bottom."""

    def __init__(self, *blocks: Block) -> None:
        self.blocks = blocks

    def __call__(self, output: Item, console: Console) -> None:
        """Print the output."""
        for block in self.blocks:
            block.print_item(output, console)


class Blank:
    """An empty line, under a condition."""

    def __init__(self, when: Condition | None = None) -> None:
        self.when = when

    def print_item(self, item: Item, console: Console) -> None:
        """Print it."""
        if is_met(self.when, item):
            console.print()


class When:
    """Blocks under a condition, and others where it is false."""

    def __init__(self, condition: Condition, *blocks: Block, otherwise: Sequence[Block] = ()) -> None:
        self.blocks, self.otherwise = blocks, otherwise
        self.condition = condition

    def print_item(self, item: Item, console: Console) -> None:
        """Print either."""
        for block in self.blocks if is_met(self.condition, item) else self.otherwise:
            block.print_item(item, console)


class Each:
    """Blocks for each item of a list.

    Args:
        items: the list.
        blocks: what is printed of an item.
        empty: the line for an empty list.
        most: how many items are printed; 0 prints all.
        more: the line for the rest, whose number is `{left}`.
        apart: whether an empty line separates two items.
    """

    def __init__(
        self, items: Items, *blocks: Block, empty: str = "", most: int = 0, more: str = "", apart: bool = False
    ) -> None:
        self.items, self.blocks = items, blocks
        self._empty, self._more = Line(empty), Line((more, "dim"))
        self._most = most
        self._apart = apart

    def print_item(self, item: Item, console: Console) -> None:
        """Print the blocks of each item."""
        items = _find_items(self.items, item)
        if not items:
            self._empty.print_item(item, console)
        shown = items[: self._most or None]
        for number, inner in enumerate(shown, 1):
            if self._apart and number > 1:
                console.print()
            scope = {**(inner if isinstance(inner, Mapping) else {"_": inner}), "#": number, "^": item}
            for block in self.blocks:
                block.print_item(scope, console)
        if len(items) > len(shown):
            self._more.print_item({"left": len(items) - len(shown)}, console)


class Cell(NamedTuple):
    """A column of a table: its layout, and what it shows of a row."""

    column: Column
    text: Source
    style: Style = ""


class Table:
    """A list as a table that drops columns on a narrow terminal.

    Args:
        items: the list of rows.
        cells: the columns.
        titled: whether headings are printed.
        empty: the line for an empty list.
    """

    def __init__(self, items: Items, *cells: Cell, titled: bool = True, empty: Source = "") -> None:
        self.items, self.cells = items, cells
        self._titled = titled
        self._empty = Line(empty)

    def print_item(self, item: Item, console: Console) -> None:
        """Print the table."""
        rows = [
            [Text(fill_template(cell.text, row), style=resolve_style(cell.style, row)) for cell in self.cells]
            for row in _find_items(self.items, item)
        ]
        if rows:
            print_table([cell.column for cell in self.cells], rows, console, titled=self._titled)
        else:
            self._empty.print_item(item, console)


class Report:
    """Labels with their values, one a row; an absent value has no row."""

    def __init__(self, rows: Mapping[str, Source]) -> None:
        self.rows = rows

    def print_item(self, item: Item, console: Console) -> None:
        """Print the rows, the values aligned."""
        grid = Grid.grid(padding=(0, 2))
        grid.add_column(style="dim")
        grid.add_column(overflow="fold")
        for label, source in self.rows.items():
            if value := fill_template(source, item):
                grid.add_row(label, Text(value))
        console.print(grid)


class Passage:
    """A text of several lines, or a list of such texts, without terminal controls.

    Args:
        field: the text.
        style: of all of it.
        wraps: whether its lines break at a word; else the terminal breaks them.
    """

    def __init__(self, field: str, style: str = "", *, wraps: bool = False) -> None:
        self.field = field
        self._style = style
        self._wraps = wraps

    def print_item(self, item: Item, console: Console) -> None:
        """Print the text."""
        found = look_up(self.field, item) or ()
        for text in [found] if isinstance(found, str) else found:
            console.print(Text(show_hidden(text).rstrip(), style=self._style), soft_wrap=not self._wraps)


class JsonTree:
    """A JSON value in indented lines.

    Args:
        field: the value.
        label: in front of the first line; the others are indented by its length.
        select: returns the part of the value to show; all of it when None.
    """

    def __init__(self, field: str, label: str = "  ", select: Callable[[Any], Any] | None = None) -> None:
        self.field = field
        self._label = label
        self._select = select

    def print_item(self, item: Item, console: Console) -> None:
        """Print the lines."""
        value = look_up(self.field, item)
        value = self._select(value) if self._select else value
        head = self._label
        for line in format_json_lines(value) if value else ():
            console.print(Text.assemble((head, "dim"), line), soft_wrap=True)
            head = " " * len(head)


class Raw:
    """A text for other programs: not wrapped, not coloured, without hidden characters."""

    def __init__(self, source: Callable[[Item], str]) -> None:
        self._source = source

    def print_item(self, item: Item, console: Console) -> None:
        """Write the text."""
        console.file.write(show_hidden(self._source(item)))


def _find_items(items: Items, item: Item) -> Sequence[Any]:
    return (look_up(items, item) if isinstance(items, str) else items(item)) or ()


class Joined:
    """A source that joins the present ones of several parts.

    Args:
        separator: between two texts.
        parts: the texts; their styles do not count.
        before: in front of them.
        after: behind them.
        empty: the text where all are absent.
    """

    def __init__(self, separator: str, *parts: AnyPart, before: str = "", after: str = "", empty: str = "") -> None:
        self.parts = to_parts(parts)
        self._separator = separator
        self._before = before
        self._after = after
        self._empty = empty

    def __call__(self, item: Item) -> str:
        """Return the text."""
        found = [fill_template(part.text, item) for part in self.parts if is_met(part.when, item)]
        joined = self._separator.join(text for text in found if text)
        return f"{self._before}{joined}{self._after}" if joined else self._empty


def choose_style(field: str, styles: Mapping[str, str], default: str = "") -> Style:
    """Return a style that depends on the value of a field."""
    return lambda item: styles.get(str(look_up(field, item)), default)
