"""YAML editor for the items of a list, by the parser's positions."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ruamel.yaml import YAML
from ruamel.yaml.events import MappingEndEvent, MappingStartEvent, SequenceEndEvent, SequenceStartEvent

from .files import ConfigFileError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from .host import FileFormat


_MAX_VALUES = 1_000_000


def read_entries(text: str, keys: Sequence[str], _form: FileFormat = "yaml") -> dict[str, Any]:
    """Read the entries by their `name`; empty if there are none.

    Raises:
        ConfigFileError: the text is not YAML, or the entries are not a list.
    """
    items = load_values(text).get(keys[0])
    if items is not None and not isinstance(items, list):
        raise ConfigFileError(f'"{keys[0]}" is not a list')
    return {str(item["name"]): item for item in items or () if isinstance(item, dict) and "name" in item}


def put_entry(text: str, keys: Sequence[str], name: str, entry: Mapping[str, Any], _form: FileFormat = "yaml") -> str:
    """Insert the entry first in its list; rewrite an existing one.

    A rewritten entry keeps its other values.

    Raises:
        ConfigFileError: as `read_entries` does.
    """
    existing = read_entries(text, keys).get(name)
    merged = {**existing, **entry} if existing is not None else dict(entry)
    if existing is not None:
        text = drop_entry(text, keys, name)
    newline = "\r\n" if "\r\n" in text else "\n"
    found = _find_node(text, keys[0])
    if found is None:
        gap = "" if not text or text.endswith("\n") else newline
        return text + gap + newline.join([f"{keys[0]}:", *_format_item(merged, "  ")]) + newline
    key, node = found
    if node.id == "scalar":
        if node.value:
            raise ConfigFileError(f'"{keys[0]}" is not a list', node.start_mark.line + 1, node.start_mark.column + 1)
        at = _find_line_end(text, key.end_mark.index)
        return text[:at] + newline + newline.join(_format_item(merged, "  ")) + text[at:]
    if node.flow_style:
        at = node.start_mark.index + 1
        return text[:at] + json.dumps(merged, ensure_ascii=False) + (", " if node.value else "") + text[at:]
    at = _find_line_end(text, key.end_mark.index)  # before a comment about the current first item
    return text[:at] + newline + newline.join(_format_item(merged, " " * node.start_mark.column)) + text[at:]


def drop_entry(text: str, keys: Sequence[str], name: str, _form: FileFormat = "yaml") -> str:
    """Remove the entry, and the key if its list becomes empty.

    Raises:
        ConfigFileError: as `read_entries` does, or if the item does not have lines of its own.
    """
    if name not in read_entries(text, keys):
        return text
    found = _find_node(text, keys[0])
    if found is None or found[1].flow_style:
        raise ConfigFileError(f'the list "{keys[0]}" is on one line', help=f'Remove "{name}" from it by hand.')
    key, node = found
    items = list(node.value)
    at = next(at for at, item in enumerate(items) if _get_item_name(item) == name)
    start = items[at].start_mark.line
    end = _find_last_line(items[at]) + 1  # a comment after it is about the next item
    if len(items) == 1:
        start = key.start_mark.line
    lines = text.splitlines(keepends=True)
    if not lines[start].lstrip().startswith(("-", key.value)):  # the dash is on a line of its own
        start -= 1
    return "".join(lines[:start] + lines[end:])


def build_file(keys: Sequence[str], name: str, entry: Mapping[str, Any], besides: Mapping[str, Any]) -> str:
    """Create the text of a file with only this entry."""
    return put_entry("".join(f"{key}: {_format_scalar(value)}\n" for key, value in besides.items()), keys, name, entry)


def load_values(text: str, _form: FileFormat = "yaml") -> dict[str, Any]:
    """Load the text as YAML.

    Raises:
        ConfigFileError: it is not YAML, or not a mapping.
    """
    whole = parse_yaml(text)
    whole = {} if whole is None else whole
    if not isinstance(whole, dict):
        raise ConfigFileError("this is not a mapping of `key: value`", 1, 1)
    if _count_values(whole, {}) > _MAX_VALUES:
        raise ConfigFileError(f"its aliases expand to more than {_MAX_VALUES:,} values")
    return whole


def _count_values(value: Any, known: dict[int, int]) -> int:
    """Count the values; visit aliased values once, but count each use."""
    if not isinstance(value, dict | list):
        return 1
    if id(value) not in known:
        known[id(value)] = 0  # it may contain itself
        known[id(value)] += 1 + sum(
            _count_values(inner, known) for inner in (value.values() if isinstance(value, dict) else value)
        )
    return known[id(value)]


def _find_node(text: str, key: str) -> tuple[Any, Any] | None:
    """Return the nodes of the key and of its value."""
    root = compose_yaml(text)
    pairs = root.value if root is not None else ()
    return next(((name, value) for name, value in pairs if name.value == key), None)


def _get_item_name(item: Any) -> str:
    pairs = item.value if item.id == "mapping" else ()
    return next((str(value.value) for key, value in pairs if key.value == "name"), "")


def _find_last_line(node: Any) -> int:
    """Return the line on which the last value of a node ends."""
    if node.id == "scalar" or node.flow_style or not node.value:
        mark = node.end_mark
        return int(mark.line if mark.column else mark.line - 1)
    last = node.value[-1]
    return _find_last_line(last[1] if node.id == "mapping" else last)


def _find_line_end(text: str, at: int) -> int:
    """Return the offset before the line break of the line."""
    end = text.find("\n", at)
    end = len(text) if end < 0 else end
    return end - 1 if text[end - 1 : end] == "\r" else end


def _format_item(entry: Mapping[str, Any], indent: str) -> list[str]:
    """Format the lines of an item; values are JSON, which YAML contains."""
    lines = [f"{key}: {_format_scalar(value)}" for key, value in entry.items()]
    return [f"{indent}{'- ' if not at else '  '}{line}" for at, line in enumerate(lines)]


def _format_scalar(value: Any) -> str:
    """Format a value on one line; a plain word has no quotation marks."""
    if isinstance(value, str) and value.replace("_", "").isidentifier() and value.lower() not in _RESERVED_WORDS:
        return value
    return json.dumps(value, ensure_ascii=False)


_RESERVED_WORDS = frozenset({"true", "false", "yes", "no", "on", "off", "null", "y", "n"})


_MAX_CHARS = 250_000
"""Maximum length of a file; its parser reads some 50,000 characters per second."""
_MAX_DEPTH = 100
_OPENING = (SequenceStartEvent, MappingStartEvent)
_CLOSING = (SequenceEndEvent, MappingEndEvent)


def parse_yaml(text: str) -> Any:
    """Parse the text to plain values.

    Raises:
        ConfigFileError: the text is not YAML, or is too long or nested too deeply.
    """
    _check_size(text)
    return _translate_errors(YAML(typ="safe", pure=True).load, text)


def compose_yaml(text: str) -> Any:
    """Parse the text to nodes with their positions; None if it is empty.

    Raises:
        ConfigFileError: as `parse_yaml` does.
    """
    _check_size(text)
    return _translate_errors(YAML(typ="rt", pure=True).compose, text)


def _check_size(text: str) -> None:
    """Check the length and the depth, before the parser recurses."""
    if len(text) > _MAX_CHARS:
        raise ConfigFileError(f"it is longer than {_MAX_CHARS:,} characters")
    if max(map(text.count, "[{-?:")) > _MAX_DEPTH:
        _translate_errors(_check_depth, text)


def _check_depth(text: str) -> None:
    depth = 0
    for event in YAML(typ="safe", pure=True).parse(text):
        depth += isinstance(event, _OPENING) - isinstance(event, _CLOSING)
        if depth > _MAX_DEPTH:
            mark = event.start_mark
            raise ConfigFileError(f"it is nested deeper than {_MAX_DEPTH}", mark.line + 1, mark.column + 1)


def _translate_errors(parse: Callable[[str], Any], text: str) -> Any:
    try:
        return parse(text)
    except ConfigFileError:
        raise
    except Exception as error:  # noqa: BLE001 - invalid YAML also ends in AssertionError, TypeError, RecursionError …
        mark = getattr(error, "problem_mark", None)
        message = getattr(error, "problem", None) or type(error).__name__
        if message.startswith("but "):  # the first half of the message is in `context`
            message = f"{getattr(error, 'context', '')}, {message}"
        raise ConfigFileError(message, mark.line + 1 if mark else 0, mark.column + 1 if mark else 0) from None
