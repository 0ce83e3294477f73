"""Tables put into TOML and taken out of it again: ours stands at the end, and nothing before it is touched."""

from __future__ import annotations

import json
import re
import tomllib
from typing import TYPE_CHECKING, Any

from .errors import ConfigFileError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_ERROR_PLACE = re.compile(
    r"^(?P<said>.*) \(at (?:line (?P<line>\d+), column (?P<column>\d+)|end of document)\)$", re.DOTALL
)
_HEADER = re.compile(r"[ \t]*\[\[?[ \t]*(?P<key>[^\[\]\r\n]+?)[ \t]*\]\]?[ \t]*(?:#.*)?$")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_QUOTES = re.compile(r'"""|\'\'\'|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'|#.*')


def read_entries(text: str, keys: Sequence[str]) -> dict[str, Any]:
    """The entries by name; empty when there are none.

    Raises:
        Broken: the text is no TOML, or something else stands where the entries should.
    """
    held: Any = load_toml(text)
    for key in keys:
        held = held.get(key, {})
        if not isinstance(held, dict):
            raise ConfigFileError(f'"{key}" is not a table')
    return dict(held)


def put_entry(text: str, keys: Sequence[str], name: str, entry: Mapping[str, Any]) -> str:
    """The text with the entry in it, at its end; one that is there is written anew, with what else it held.

    Raises:
        Broken: as `read` does, or when a table cannot be added to what stands there.
    """
    there = read_entries(text, keys).get(name)
    merged = {**there, **entry} if isinstance(there, dict) else dict(entry)
    if there is not None:
        text = drop_entry(text, keys, name)
    newline = "\r\n" if "\r\n" in text else "\n"
    gap = "" if not text.strip() else newline if text.endswith(("\n", "\r")) else newline * 2
    lines = [f"[{'.'.join(_format_key(one) for one in [*keys, name])}]"]
    lines += [f"{_format_key(key)} = {_format_value(value)}" for key, value in merged.items()]
    made = text + gap + newline.join(lines) + newline
    try:
        tomllib.loads(made)
    except ValueError:
        raise ConfigFileError(
            f'"{".".join(keys)}" is written in one line, to which nothing can be added',
            help=f"Write each of its entries as [{'.'.join(keys)}.NAME], and say it again.",
        ) from None
    return made


def drop_entry(text: str, keys: Sequence[str], name: str) -> str:
    """The text without the entry's tables, and without the blank line before each.

    Raises:
        Broken: as `read` does, or when the entry is no table of its own.
    """
    if name not in read_entries(text, keys):
        return text
    ours = (*keys, name)
    cuts = [(start, end) for start, end, key in _iter_tables(text) if key[: len(ours)] == ours]
    for start, end in reversed(cuts):
        text = _cut_span(text, start, end)
    if name in read_entries(text, keys):
        raise ConfigFileError(f'"{".".join(ours)}" is not written as a table of its own')
    return text


def build_file(keys: Sequence[str], name: str, entry: Mapping[str, Any], besides: Mapping[str, Any]) -> str:
    """A new file with this entry alone."""
    return put_entry(
        "".join(f"{_format_key(key)} = {_format_value(value)}\n" for key, value in besides.items()), keys, name, entry
    )


def has_no_entries(text: str, besides: Mapping[str, Any]) -> bool:
    """Whether the text holds nothing but what a new file holds besides the servers."""
    return "#" not in text and load_toml(text) in ({}, dict(besides))


def load_toml(text: str) -> dict[str, Any]:
    """All that the text says.

    Raises:
        Broken: it is no TOML.
    """
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ConfigFileError("it is nested too deep") from None
    except ValueError as error:
        found = _ERROR_PLACE.match(str(error))
        if found is None:
            raise ConfigFileError(str(error)) from None
        if found["line"] is None:
            raise ConfigFileError.from_offset(found["said"].lower(), text, len(text)) from None
        raise ConfigFileError(found["said"].lower(), int(found["line"]), int(found["column"])) from None


def _iter_tables(text: str) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    """Where each table begins and ends, its comments before the next one left to that, and its key."""
    heads = list(_iter_headers(text))
    for at, (start, key) in enumerate(heads):
        end = heads[at + 1][0] if at + 1 < len(heads) else len(text)
        yield start, _find_table_end(text, start, end), key


def _iter_headers(text: str) -> Iterator[tuple[int, tuple[str, ...]]]:
    """The lines that open a table; what stands in a text of several lines does not count."""
    at, inside = 0, ""
    for line in text.splitlines(keepends=True):
        head = _HEADER.match(line.rstrip("\r\n")) if not inside else None
        if head:
            yield at, _split_key(head["key"])
        inside = _find_open_quotes(line, inside)
        at += len(line)


def _find_open_quotes(line: str, inside: str) -> str:
    """The quotes of a text of several lines that is still open behind the line."""
    rest = line
    while rest:
        if inside:
            _, closed, rest = rest.partition(inside)
            inside = "" if closed else inside
            continue
        found = next((one for one in _QUOTES.finditer(rest) if one[0] in {'"""', "'''"}), None)
        if found is None:
            break
        inside, rest = found[0], rest[found.end() :]
    return inside


def _find_table_end(text: str, start: int, end: int) -> int:
    """Behind the last line of a table that is neither blank nor a comment."""
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
    """`a."b.c"` as its parts; empty when it is none."""
    try:
        held: Any = tomllib.loads(f"{key} = 0")
    except ValueError:
        return ()
    parts: list[str] = []
    while isinstance(held, dict):
        parts.append(next(iter(held)))
        held = held[parts[-1]]
    return tuple(parts)


def _format_key(key: str) -> str:
    return key if _BARE_KEY.fullmatch(key) else json.dumps(key)


def _format_value(value: Any) -> str:
    """A value as TOML; texts, numbers, truths, lists and tables of these."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_format_key(key)} = {_format_value(one)}" for key, one in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_format_value(one) for one in value) + "]"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return json.dumps(value)
