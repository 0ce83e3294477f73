"""TOML editor that appends Aurora's table and keeps the text before it."""

from __future__ import annotations

import json
import re
import tomllib
from typing import TYPE_CHECKING, Any

from .files import ConfigFileError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from .host import FileFormat

_ERROR_PLACE = re.compile(
    r"^(?P<said>.*) \(at (?:line (?P<line>\d+), column (?P<column>\d+)|end of document)\)$", re.DOTALL
)
_HEADER = re.compile(r"[ \t]*\[\[?(?P<key>[^\[\]\r\n]+)\]\]?[ \t]*(?:#.*)?$")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_QUOTES = re.compile(r'"""|\'\'\'|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'|#.*')

_MAX_CHARS = 1_000_000
_MAX_DEPTH = 100
_MAX_KEY_PARTS = 16
_KEY_PART = r"""(?:[A-Za-z0-9_-]+|"[^"\n]*"|'[^'\n]*')"""
_LONG_KEY = re.compile(
    rf"(?:^|[{{,])(?:[ \t]*\[{{1,2}})?(?:[ \t]*{_KEY_PART}[ \t]*\.){{{_MAX_KEY_PARTS}}}", re.MULTILINE
)
"""Key at the start of a line or in an inline table; the parser's time grows with the square of its parts."""


def read_entries(text: str, keys: Sequence[str], _form: FileFormat = "toml") -> dict[str, Any]:
    """Read the entries by name; empty if there are none.

    Raises:
        ConfigFileError: the text is not TOML, or the entries are not a table.
    """
    table: Any = load_values(text)
    for key in keys:
        table = table.get(key, {})
        if not isinstance(table, dict):
            raise ConfigFileError(f'"{key}" is not a table')
    return dict(table)


def put_entry(text: str, keys: Sequence[str], name: str, entry: Mapping[str, Any], _form: FileFormat = "toml") -> str:
    """Append the entry; rewrite an existing one with its other values.

    Raises:
        ConfigFileError: as `read_entries` does, or if a table cannot be appended to the text.
    """
    existing = read_entries(text, keys).get(name)
    merged = {**existing, **entry} if isinstance(existing, dict) else dict(entry)
    if existing is not None:
        text = drop_entry(text, keys, name)
    newline = "\r\n" if "\r\n" in text else "\n"
    gap = "" if not text.strip() else newline if text.endswith(("\n", "\r")) else newline * 2
    lines = [f"[{'.'.join(_format_key(part) for part in [*keys, name])}]"]
    lines += [f"{_format_key(key)} = {_format_value(value)}" for key, value in merged.items()]
    result = text + gap + newline.join(lines) + newline
    try:
        tomllib.loads(result)
    except ValueError:
        raise ConfigFileError(
            f'"{".".join(keys)}" is an inline table, which cannot be extended',
            help=f"Write each of its entries as [{'.'.join(keys)}.NAME], and run the command again.",
        ) from None
    return result


def drop_entry(text: str, keys: Sequence[str], name: str, _form: FileFormat = "toml") -> str:
    """Remove the entry's tables and the blank line before each.

    Raises:
        ConfigFileError: as `read_entries` does, or if the entry has no table of its own.
    """
    if name not in read_entries(text, keys):
        return text
    path = (*keys, name)
    cuts = [(start, end) for start, end, key in _iter_tables(text) if key[: len(path)] == path]
    for start, end in reversed(cuts):
        text = _cut_span(text, start, end)
    if name in read_entries(text, keys):
        raise ConfigFileError(f'"{".".join(path)}" has no table of its own')
    return text


def build_file(keys: Sequence[str], name: str, entry: Mapping[str, Any], besides: Mapping[str, Any]) -> str:
    """Create the text of a file with only this entry."""
    return put_entry(
        "".join(f"{_format_key(key)} = {_format_value(value)}\n" for key, value in besides.items()), keys, name, entry
    )


def load_values(text: str, _form: FileFormat = "toml") -> dict[str, Any]:
    """Load the text as TOML.

    Raises:
        ConfigFileError: it is not TOML, or is too long or nested too deeply.
    """
    if len(text) > _MAX_CHARS:
        raise ConfigFileError(f"it is longer than {_MAX_CHARS:,} characters")
    if long := _LONG_KEY.search(text):
        raise ConfigFileError.from_offset(f"a key has more than {_MAX_KEY_PARTS} parts", text, long.start())
    try:
        whole = tomllib.loads(text)
    except RecursionError:
        raise ConfigFileError(f"it is nested deeper than {_MAX_DEPTH}") from None
    except ValueError as error:
        found = _ERROR_PLACE.match(str(error))
        if found is None:
            raise ConfigFileError(str(error)) from None
        if found["line"] is None:
            raise ConfigFileError.from_offset(found["said"].lower(), text, len(text)) from None
        raise ConfigFileError(found["said"].lower(), int(found["line"]), int(found["column"])) from None
    if _is_too_deep(whole):
        raise ConfigFileError(f"it is nested deeper than {_MAX_DEPTH}")
    return whole


def _is_too_deep(whole: Any) -> bool:
    level = [whole]
    for _ in range(_MAX_DEPTH + 1):
        inner: list[Any] = []
        for value in level:
            inner += value.values() if isinstance(value, dict) else value
        level = [value for value in inner if isinstance(value, dict | list)]
    return bool(level)


def _iter_tables(text: str) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    """Yield start, end and key of each table; comments go to the next table."""
    heads = list(_iter_headers(text))
    for at, (start, key) in enumerate(heads):
        end = heads[at + 1][0] if at + 1 < len(heads) else len(text)
        yield start, _find_table_end(text, start, end), key


def _iter_headers(text: str) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yield the lines that open a table, outside of multi-line strings."""
    at, inside = 0, ""
    for line in text.splitlines(keepends=True):
        head = _HEADER.match(line.rstrip("\r\n")) if not inside else None
        if head:
            yield at, _split_key(head["key"].strip(" \t"))
        inside = _find_open_quotes(line, inside)
        at += len(line)


def _find_open_quotes(line: str, inside: str) -> str:
    """Return the quotes of the multi-line string that is open after the line."""
    at = 0
    while at < len(line):
        if inside:
            end = line.find(inside, at)
            if end < 0:
                break
            at, inside = end + len(inside), ""
            continue
        found = next((match for match in _QUOTES.finditer(line, at) if match[0] in {'"""', "'''"}), None)
        if found is None:
            break
        inside, at = found[0], found.end()
    return inside


def _find_table_end(text: str, start: int, end: int) -> int:
    """Return the offset after the last line with a value."""
    last, at = start, start
    for line in text[start:end].splitlines(keepends=True):
        at += len(line)
        if line.strip() and not line.lstrip().startswith("#"):
            last = at
    return last


def _cut_span(text: str, start: int, end: int) -> str:
    before = text[:start]
    if before.endswith(("\n\n", "\n\r\n")):
        before = before[: -2 if before.endswith("\r\n") else -1]
    return before + text[end:]


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
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return json.dumps(value)
