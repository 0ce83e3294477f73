"""Items put into a list of YAML and taken out of it again, by the places that a parser tells."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from .errors import ConfigFileError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_MAX_VALUES = 1_000_000


def read_entries(text: str, keys: Sequence[str]) -> dict[str, Any]:
    """The entries by their `name`; empty when there are none.

    Raises:
        Broken: the text is no YAML, or something else stands where the list should.
    """
    held = load_yaml(text)
    listed = held.get(keys[0]) if held is not None else None
    if listed is not None and not isinstance(listed, list):
        raise ConfigFileError(f'"{keys[0]}" is not a list')
    return {str(one["name"]): one for one in listed or () if isinstance(one, dict) and "name" in one}


def put_entry(text: str, keys: Sequence[str], name: str, entry: Mapping[str, Any]) -> str:
    """The text with the entry in it, first in its list; one that is there is written anew, with what else it held.

    Raises:
        Broken: as `read` does.
    """
    there = read_entries(text, keys).get(name)
    merged = {**there, **entry} if there is not None else dict(entry)
    if there is not None:
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
    at = _find_line_end(text, key.end_mark.index)  # before any comment on what comes first now
    return text[:at] + newline + newline.join(_format_item(merged, " " * node.start_mark.column)) + text[at:]


def drop_entry(text: str, keys: Sequence[str], name: str) -> str:
    """The text without the entry, and without the key when its list is empty then.

    Raises:
        Broken: as `read` does, or when the item does not stand on lines of its own.
    """
    if name not in read_entries(text, keys):
        return text
    found = _find_node(text, keys[0])
    if found is None or found[1].flow_style:
        raise ConfigFileError(f'the list "{keys[0]}" is written in one line', help=f'Take "{name}" out of it yourself.')
    key, node = found
    items = list(node.value)
    at = next(at for at, item in enumerate(items) if _get_item_name(item) == name)
    start = items[at].start_mark.line
    end = _find_last_line(items[at]) + 1  # a comment behind it is about the next one
    if len(items) == 1:
        start = key.start_mark.line
    lines = text.splitlines(keepends=True)
    if not lines[start].lstrip().startswith(("-", key.value)):  # the dash stands on a line of its own
        start -= 1
    return "".join(lines[:start] + lines[end:])


def build_file(keys: Sequence[str], name: str, entry: Mapping[str, Any], besides: Mapping[str, Any]) -> str:
    """A new file with this entry alone."""
    return put_entry("".join(f"{key}: {_format_scalar(value)}\n" for key, value in besides.items()), keys, name, entry)


def has_no_entries(text: str, besides: Mapping[str, Any]) -> bool:
    """Whether the text holds nothing but what a new file holds besides the servers."""
    return "#" not in text and (load_yaml(text) or {}) in ({}, dict(besides))


def load_yaml(text: str) -> dict[str, Any] | None:
    """All that the text says; None when that is nothing.

    Raises:
        Broken: it is no YAML, or no mapping.
    """
    from ruamel.yaml import YAML  # noqa: PLC0415 - 40 ms, for the one host that writes YAML

    whole = _translate_errors(lambda: YAML(typ="safe", pure=True).load(text))
    if whole is not None and not isinstance(whole, dict):
        raise ConfigFileError("this is no list of `key: value`", 1, 1)
    if _count_values(whole, {}) > _MAX_VALUES:
        raise ConfigFileError(f"its aliases make more than {_MAX_VALUES:,} values of it")
    return whole


def _count_values(value: Any, known: dict[int, int]) -> int:
    """How many values there are in a value; what aliases share is looked at once, and counted each time."""
    if not isinstance(value, dict | list):
        return 1
    if id(value) not in known:
        known[id(value)] = 0  # it may hold itself
        known[id(value)] += 1 + sum(
            _count_values(one, known) for one in (value.values() if isinstance(value, dict) else value)
        )
    return known[id(value)]


def _find_node(text: str, key: str) -> tuple[Any, Any] | None:
    """The node of the key and that of its value."""
    from ruamel.yaml import YAML  # noqa: PLC0415 - as above

    root = _translate_errors(lambda: YAML(typ="rt", pure=True).compose(text))
    pairs = root.value if root is not None else ()
    return next(((one, other) for one, other in pairs if one.value == key), None)


def _translate_errors(work: Any) -> Any:
    try:
        return work()
    except Exception as error:  # noqa: BLE001 - malformed YAML also ends in AssertionError, TypeError, RecursionError …
        mark = getattr(error, "problem_mark", None)
        said = getattr(error, "problem", None) or type(error).__name__
        if said.startswith("but "):  # the parser has said the first half elsewhere
            said = f"{getattr(error, 'context', '')}, {said}"
        raise ConfigFileError(said, mark.line + 1 if mark else 0, mark.column + 1 if mark else 0) from None


def _get_item_name(item: Any) -> str:
    pairs = item.value if item.id == "mapping" else ()
    return next((str(value.value) for key, value in pairs if key.value == "name"), "")


def _find_last_line(node: Any) -> int:
    """The line on which the last value of a node ends."""
    if node.id == "scalar" or node.flow_style or not node.value:
        mark = node.end_mark
        return int(mark.line if mark.column else mark.line - 1)
    last = node.value[-1]
    return _find_last_line(last[1] if node.id == "mapping" else last)


def _find_line_end(text: str, at: int) -> int:
    """Where the line of an offset ends, before its line break."""
    end = text.find("\n", at)
    end = len(text) if end < 0 else end
    return end - 1 if text[end - 1 : end] == "\r" else end


def _format_item(entry: Mapping[str, Any], indent: str) -> list[str]:
    """The lines of an item, its values written as JSON, which YAML contains."""
    lines = [f"{key}: {_format_scalar(value)}" for key, value in entry.items()]
    return [f"{indent}{'- ' if not at else '  '}{line}" for at, line in enumerate(lines)]


def _format_scalar(value: Any) -> str:
    """A value on one line; a plain word goes without quotation marks."""
    if isinstance(value, str) and value.replace("_", "").isidentifier() and value.lower() not in _RESERVED_WORDS:
        return value
    return json.dumps(value, ensure_ascii=False)


_RESERVED_WORDS = frozenset({"true", "false", "yes", "no", "on", "off", "null", "y", "n"})
