"""Templates of a view: text with fields in braces, such as `{path}:{lines}`.

A field is a path into an item: `agent.name`, `suggestions.0.start`, `^.start` in the item around it, `#` for its number
in the list, `_` for an item that is not an object. After a colon comes one of Python's formats, or of `FORMATS`.

A template that names an absent value (missing, null, empty) yields no text: a view needs no condition for it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from string import Formatter
from typing import Any, NamedTuple, TypeAlias

from aurora.cli.terminal import format_bytes, format_count, format_timestamp
from aurora.faults import show_hidden_line, show_hidden_name

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


def to_parts(parts: Sequence[AnyPart]) -> tuple[Part, ...]:
    """Return the parts in their full spelling."""
    return tuple(Part(*part) if isinstance(part, tuple) else Part(part) for part in parts)


def choose_style(field: str, styles: Mapping[str, str], default: str = "") -> Style:
    """Return a style that depends on the value of a field."""
    return lambda item: styles.get(str(look_up(field, item)), default)


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
