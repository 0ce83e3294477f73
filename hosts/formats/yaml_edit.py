"""Items put into a list of YAML and taken out of it again, by the places that a parser tells."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from .errors import Broken

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_MOST = 1_000_000


def read(text: str, keys: Sequence[str]) -> dict[str, Any]:
    """The entries by their `name`; empty when there are none.

    Raises:
        Broken: the text is no YAML, or something else stands where the list should.
    """
    held = loaded(text)
    listed = held.get(keys[0]) if held is not None else None
    if listed is not None and not isinstance(listed, list):
        raise Broken(f'"{keys[0]}" is not a list')
    return {str(one["name"]): one for one in listed or () if isinstance(one, dict) and "name" in one}


def put(text: str, keys: Sequence[str], name: str, entry: Mapping[str, Any]) -> str:
    """The text with the entry in it, first in its list; one that is there is written anew, with what else it held.

    Raises:
        Broken: as `read` does.
    """
    there = read(text, keys).get(name)
    merged = {**there, **entry} if there is not None else dict(entry)
    if there is not None:
        text = drop(text, keys, name)
    newline = "\r\n" if "\r\n" in text else "\n"
    found = _found(text, keys[0])
    if found is None:
        gap = "" if not text or text.endswith("\n") else newline
        return text + gap + newline.join([f"{keys[0]}:", *_item(merged, "  ")]) + newline
    key, node = found
    if node.id == "scalar":
        if node.value:
            raise Broken(f'"{keys[0]}" is not a list', node.start_mark.line + 1, node.start_mark.column + 1)
        at = _line_end(text, key.end_mark.index)
        return text[:at] + newline + newline.join(_item(merged, "  ")) + text[at:]
    if node.flow_style:
        at = node.start_mark.index + 1
        return text[:at] + json.dumps(merged, ensure_ascii=False) + (", " if node.value else "") + text[at:]
    at = _line_end(text, key.end_mark.index)  # before any comment on what comes first now
    return text[:at] + newline + newline.join(_item(merged, " " * node.start_mark.column)) + text[at:]


def drop(text: str, keys: Sequence[str], name: str) -> str:
    """The text without the entry, and without the key when its list is empty then.

    Raises:
        Broken: as `read` does, or when the item does not stand on lines of its own.
    """
    if name not in read(text, keys):
        return text
    found = _found(text, keys[0])
    if found is None or found[1].flow_style:
        raise Broken(f'the list "{keys[0]}" is written in one line', help=f'Take "{name}" out of it yourself.')
    key, node = found
    items = list(node.value)
    at = next(at for at, item in enumerate(items) if _named(item) == name)
    start = items[at].start_mark.line
    end = _last_line(items[at]) + 1  # a comment behind it is about the next one
    if len(items) == 1:
        start = key.start_mark.line
    lines = text.splitlines(keepends=True)
    if not lines[start].lstrip().startswith(("-", key.value)):  # the dash stands on a line of its own
        start -= 1
    return "".join(lines[:start] + lines[end:])


def fresh(keys: Sequence[str], name: str, entry: Mapping[str, Any], besides: Mapping[str, Any]) -> str:
    """A new file with this entry alone."""
    return put("".join(f"{key}: {_scalar(value)}\n" for key, value in besides.items()), keys, name, entry)


def bare(text: str, besides: Mapping[str, Any]) -> bool:
    """Whether the text holds nothing but what a new file holds besides the servers."""
    return "#" not in text and (loaded(text) or {}) in ({}, dict(besides))


def loaded(text: str) -> dict[str, Any] | None:
    """All that the text says; None when that is nothing.

    Raises:
        Broken: it is no YAML, or no mapping.
    """
    from ruamel.yaml import YAML  # noqa: PLC0415 - 40 ms, for the one host that writes YAML

    whole = _guarded(lambda: YAML(typ="safe", pure=True).load(text))
    if whole is not None and not isinstance(whole, dict):
        raise Broken("this is no list of `key: value`", 1, 1)
    if _said(whole, {}) > _MOST:
        raise Broken(f"its aliases make more than {_MOST:,} values of it")
    return whole


def _said(value: Any, known: dict[int, int]) -> int:
    """How many values there are in a value; what aliases share is looked at once, and counted each time."""
    if not isinstance(value, dict | list):
        return 1
    if id(value) not in known:
        known[id(value)] = 0  # it may hold itself
        known[id(value)] += 1 + sum(_said(one, known) for one in (value.values() if isinstance(value, dict) else value))
    return known[id(value)]


def _found(text: str, key: str) -> tuple[Any, Any] | None:
    """The node of the key and that of its value."""
    from ruamel.yaml import YAML  # noqa: PLC0415 - as above

    root = _guarded(lambda: YAML(typ="rt", pure=True).compose(text))
    pairs = root.value if root is not None else ()
    return next(((one, other) for one, other in pairs if one.value == key), None)


def _guarded(work: Any) -> Any:
    try:
        return work()
    except Exception as error:  # noqa: BLE001 - malformed YAML also ends in AssertionError, TypeError, RecursionError …
        mark = getattr(error, "problem_mark", None)
        said = getattr(error, "problem", None) or type(error).__name__
        if said.startswith("but "):  # the parser has said the first half elsewhere
            said = f"{getattr(error, 'context', '')}, {said}"
        raise Broken(said, mark.line + 1 if mark else 0, mark.column + 1 if mark else 0) from None


def _named(item: Any) -> str:
    pairs = item.value if item.id == "mapping" else ()
    return next((str(value.value) for key, value in pairs if key.value == "name"), "")


def _last_line(node: Any) -> int:
    """The line on which the last value of a node ends."""
    if node.id == "scalar" or node.flow_style or not node.value:
        mark = node.end_mark
        return int(mark.line if mark.column else mark.line - 1)
    last = node.value[-1]
    return _last_line(last[1] if node.id == "mapping" else last)


def _line_end(text: str, at: int) -> int:
    """Where the line of an offset ends, before its line break."""
    end = text.find("\n", at)
    end = len(text) if end < 0 else end
    return end - 1 if text[end - 1 : end] == "\r" else end


def _item(entry: Mapping[str, Any], indent: str) -> list[str]:
    """The lines of an item, its values written as JSON, which YAML contains."""
    lines = [f"{key}: {_scalar(value)}" for key, value in entry.items()]
    return [f"{indent}{'- ' if not at else '  '}{line}" for at, line in enumerate(lines)]


def _scalar(value: Any) -> str:
    """A value on one line; a plain word goes without quotation marks."""
    if isinstance(value, str) and value.replace("_", "").isidentifier() and value.lower() not in _RESERVED:
        return value
    return json.dumps(value, ensure_ascii=False)


_RESERVED = frozenset({"true", "false", "yes", "no", "on", "off", "null", "y", "n"})
