"""Editors of TOML and YAML, in which an entry is a block of lines: a table, or an item of a list."""

from __future__ import annotations

import json
import re
import tomllib
from typing import TYPE_CHECKING, Any

from ruamel.yaml import YAML

from .files import ConfigFileError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

_MAX_TOML_CHARS = 1_000_000
_MAX_KEY_PARTS = 16
_KEY_PART = r"""(?:[A-Za-z0-9_-]+|"[^"\n]*"|'[^'\n]*')"""
_LONG_KEY = re.compile(
    rf"(?:^|[{{,])(?:[ \t]*\[{{1,2}})?(?:[ \t]*{_KEY_PART}[ \t]*\.){{{_MAX_KEY_PARTS}}}", re.MULTILINE
)
"""Key at the start of a line or in an inline table; the parser's time grows with the square of its parts."""
_ERROR_PLACE = re.compile(
    r"^(?P<said>.*) \(at (?:line (?P<line>\d+), column (?P<column>\d+)|end of document)\)$", re.DOTALL
)
_TOML_PIECE = re.compile(
    r'"""(?:[^\\]|\\.)*?"""|\'\'\'.*?\'\'\'|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'|(?P<comment>#[^\n]*)', re.DOTALL
)
_HEADER = re.compile(r"^[ \t]*\[\[?(?P<key>[^\[\]\r\n]+)\]\]?[ \t]*\r?$", re.MULTILINE)
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


def load_toml(text: str) -> dict[str, Any]:
    """Load the text as TOML.

    Raises:
        ConfigFileError: it is not TOML, or is too long.
        RecursionError: it is nested too deeply.
    """
    if len(text) > _MAX_TOML_CHARS:
        raise ConfigFileError(f"it is longer than {_MAX_TOML_CHARS:,} characters")
    if long := _LONG_KEY.search(text):
        raise ConfigFileError.from_offset(f"a key has more than {_MAX_KEY_PARTS} parts", text, long.start())
    try:
        return tomllib.loads(text)
    except ValueError as error:
        found = _ERROR_PLACE.match(str(error))
        if found is None:
            raise ConfigFileError(str(error)) from None
        if found["line"] is None:
            raise ConfigFileError.from_offset(found["said"].lower(), text, len(text)) from None
        raise ConfigFileError(found["said"].lower(), int(found["line"]), int(found["column"])) from None


def put_table(text: str, keys: Sequence[str], name: str, entry: Mapping[str, Any]) -> str:
    """Append the entry's table.

    Raises:
        ConfigFileError: a table cannot be appended to the text.
    """
    newline = "\r\n" if "\r\n" in text else "\n"
    gap = "" if not text.strip() else newline if text.endswith(("\n", "\r")) else newline * 2
    lines = [f"[{'.'.join(_format_key(part) for part in [*keys, name])}]"]
    lines += [f"{_format_key(key)} = {_format_value(value)}" for key, value in entry.items()]
    # Appended at the end: a table of TOML may stand anywhere after its parents, so nothing else moves.
    result = text + gap + newline.join(lines) + newline
    try:
        tomllib.loads(result)
    except ValueError:
        raise ConfigFileError(
            f'"{".".join(keys)}" is an inline table, which cannot be extended',
            help=f"Write each of its entries as [{'.'.join(keys)}.NAME], and run the command again.",
        ) from None
    return result


def drop_table(text: str, path: tuple[str, ...]) -> str:
    """Remove the table of this path and those in it; a comment goes to the next table."""
    # Texts become underscores and comments blanks of the same length, so that a bracket in one is no header.
    bare = _TOML_PIECE.sub(lambda found: (" " if found["comment"] else "_") * len(found[0]), text)
    heads = [(found.start(), _split_key(text[slice(*found.span("key"))].strip())) for found in _HEADER.finditer(bare)]
    ends = [*(start for start, _ in heads[1:]), len(text)]
    # From the end, so that a cut leaves the offsets before it as they are.
    for (start, key), end in reversed(list(zip(heads, ends, strict=True))):
        if key[: len(path)] == path:
            last = bare.find("\n", start + len(bare[start:end].rstrip()))
            before = text[:start]
            if before.endswith(("\n\n", "\n\r\n")):
                before = before[: -2 if before.endswith("\r\n") else -1]
            text = before + (text[last + 1 :] if last >= 0 else "")
    return text


def _split_key(key: str) -> tuple[str, ...]:
    """Split `a."b.c"` into its parts; empty if it is not a key."""
    try:
        table: Any = tomllib.loads(f"{key} = 0")
    except ValueError:
        return ()
    parts: list[str] = []
    while isinstance(table, dict):
        parts.append(next(iter(table)))
        table = table[parts[-1]]
    return tuple(parts)


def _format_key(key: str) -> str:
    return key if _BARE_KEY.fullmatch(key) else json.dumps(key)


def _format_value(value: Any) -> str:
    """Format a string, number, boolean, list or table as TOML."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_format_key(key)} = {_format_value(item)}" for key, item in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_format_value(item) for item in value) + "]"
    if isinstance(value, str):
        # A string of JSON is one of TOML, except for DEL, which TOML has escaped.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return json.dumps(value)


_MAX_YAML_CHARS = 250_000
"""Maximum length of a file; its parser reads some 50,000 characters per second."""
_RESERVED_WORDS = frozenset({"true", "false", "yes", "no", "on", "off", "null", "y", "n"})


def load_yaml(text: str) -> dict[str, Any]:
    """Load the text as a mapping.

    Raises:
        ConfigFileError: it is not YAML, or not a mapping.
    """
    whole = parse_yaml(text)
    if whole is not None and not isinstance(whole, dict):
        raise ConfigFileError("this is not a mapping of `key: value`", 1, 1)
    return whole or {}


def parse_yaml(text: str) -> Any:
    """Parse the text to plain values.

    Raises:
        ConfigFileError: the text is not YAML, or is too long or nested too deeply.
    """
    return _translate_errors(YAML(typ="safe", pure=True).load, text)


def _translate_errors(parse: Callable[[str], Any], text: str) -> Any:
    if len(text) > _MAX_YAML_CHARS:
        raise ConfigFileError(f"it is longer than {_MAX_YAML_CHARS:,} characters")
    try:
        return parse(text)
    except RecursionError:
        raise ConfigFileError("it is nested too deeply") from None
    except Exception as error:  # noqa: BLE001 - invalid YAML also ends in AssertionError, TypeError …
        mark = getattr(error, "problem_mark", None)
        message = getattr(error, "problem", None) or "this cannot be read as YAML"
        if message.startswith("but "):  # the first half of the message is in `context`
            message = f"{getattr(error, 'context', '')}, {message}"
        raise ConfigFileError(message, mark.line + 1 if mark else 0, mark.column + 1 if mark else 0) from None


def read_items(values: Mapping[str, Any], key: str) -> dict[str, Any]:
    """Return the items of a list by their `name`; empty if there are none.

    Raises:
        ConfigFileError: the value is not a list.
    """
    items = values.get(key)
    if items is not None and not isinstance(items, list):
        raise ConfigFileError(f'"{key}" is not a list')
    return {str(item["name"]): item for item in items or () if isinstance(item, dict) and "name" in item}


def put_item(text: str, keys: Sequence[str], _name: str, entry: Mapping[str, Any]) -> str:
    """Insert the entry first in its list."""
    newline = "\r\n" if "\r\n" in text else "\n"
    found = _find_node(text, keys[0])
    if found is None:
        gap = "" if not text or text.endswith("\n") else newline
        return text + gap + newline.join([f"{keys[0]}:", *_format_item(entry, "  ")]) + newline
    key, node = found
    if node.id == "sequence" and node.flow_style:
        # JSON is YAML as well, so an item in brackets takes the entry as JSON.
        at = node.start_mark.index + 1
        return text[:at] + json.dumps(dict(entry), ensure_ascii=False) + (", " if node.value else "") + text[at:]
    indent = " " * node.start_mark.column if node.id == "sequence" else "  "
    at = _find_line_end(text, key.end_mark.index)  # before a comment about the current first item
    return text[:at] + newline + newline.join(_format_item(entry, indent)) + text[at:]


def drop_item(text: str, keys: Sequence[str], name: str) -> str:
    """Remove the entry, and the key if its list becomes empty.

    Raises:
        ConfigFileError: the list is on one line.
    """
    found = _find_node(text, keys[0])
    if found is None or found[1].flow_style:
        raise ConfigFileError(f'the list "{keys[0]}" is on one line', help=f'Remove "{name}" from it by hand.')
    key, node = found
    item = next(item for item in node.value if _get_item_name(item) == name)
    # The only item goes with the key, since an empty list is not what the file had before.
    start = key.start_mark.line if len(node.value) == 1 else item.start_mark.line
    lines = text.splitlines(keepends=True)
    if len(node.value) > 1 and not lines[start].lstrip().startswith("-"):  # the dash is on a line of its own
        start -= 1
    end = _find_last_line(item) + 1  # a comment after it is about the next item
    return "".join(lines[:start] + lines[end:])


def _find_node(text: str, key: str) -> tuple[Any, Any] | None:
    """Return the nodes of the key and of its value."""
    # Nodes have the places of their text, which values do not.
    root = _translate_errors(YAML(typ="rt", pure=True).compose, text)
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
    return [f"{indent}{'- ' if not at else '  '}{line}" for at, line in enumerate(format_pairs(entry))]


def format_pairs(entry: Mapping[str, Any]) -> Iterator[str]:
    """Format a line for each value, as JSON, which YAML contains; a plain word has no quotation marks."""
    for key, value in entry.items():
        is_word = isinstance(value, str) and value.replace("_", "").isidentifier()
        is_plain = is_word and value.lower() not in _RESERVED_WORDS
        yield f"{key}: {value if is_plain else json.dumps(value, ensure_ascii=False)}"
