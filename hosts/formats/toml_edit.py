"""Tables put into TOML and taken out of it again: ours stands at the end, and nothing before it is touched."""

from __future__ import annotations

import json
import re
import tomllib
from typing import TYPE_CHECKING, Any

from .errors import Broken

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_PLACE = re.compile(r"^(?P<said>.*) \(at (?:line (?P<line>\d+), column (?P<column>\d+)|end of document)\)$", re.DOTALL)
_HEADER = re.compile(r"[ \t]*\[\[?[ \t]*(?P<key>[^\[\]\r\n]+?)[ \t]*\]\]?[ \t]*(?:#.*)?$")
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_QUOTES = re.compile(r'"""|\'\'\'|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'|#.*')


def read(text: str, keys: Sequence[str]) -> dict[str, Any]:
    """The entries by name; empty when there are none.

    Raises:
        Broken: the text is no TOML, or something else stands where the entries should.
    """
    held: Any = loaded(text)
    for key in keys:
        held = held.get(key, {})
        if not isinstance(held, dict):
            raise Broken(f'"{key}" is not a table')
    return dict(held)


def put(text: str, keys: Sequence[str], name: str, entry: Mapping[str, Any]) -> str:
    """The text with the entry in it, at its end; one that is there is written anew, with what else it held.

    Raises:
        Broken: as `read` does, or when a table cannot be added to what stands there.
    """
    there = read(text, keys).get(name)
    merged = {**there, **entry} if isinstance(there, dict) else dict(entry)
    if there is not None:
        text = drop(text, keys, name)
    newline = "\r\n" if "\r\n" in text else "\n"
    gap = "" if not text.strip() else newline if text.endswith(("\n", "\r")) else newline * 2
    lines = [f"[{'.'.join(_key(one) for one in [*keys, name])}]"]
    lines += [f"{_key(key)} = {_value(value)}" for key, value in merged.items()]
    made = text + gap + newline.join(lines) + newline
    try:
        tomllib.loads(made)
    except ValueError:
        raise Broken(
            f'"{".".join(keys)}" is written in one line, to which nothing can be added',
            help=f"Write each of its entries as [{'.'.join(keys)}.NAME], and say it again.",
        ) from None
    return made


def drop(text: str, keys: Sequence[str], name: str) -> str:
    """The text without the entry's tables, and without the blank line before each.

    Raises:
        Broken: as `read` does, or when the entry is no table of its own.
    """
    if name not in read(text, keys):
        return text
    ours = (*keys, name)
    cuts = [(start, end) for start, end, key in _tables(text) if key[: len(ours)] == ours]
    for start, end in reversed(cuts):
        text = _without(text, start, end)
    if name in read(text, keys):
        raise Broken(f'"{".".join(ours)}" is not written as a table of its own')
    return text


def fresh(keys: Sequence[str], name: str, entry: Mapping[str, Any], besides: Mapping[str, Any]) -> str:
    """A new file with this entry alone."""
    return put("".join(f"{_key(key)} = {_value(value)}\n" for key, value in besides.items()), keys, name, entry)


def bare(text: str, besides: Mapping[str, Any]) -> bool:
    """Whether the text holds nothing but what a new file holds besides the servers."""
    return "#" not in text and loaded(text) in ({}, dict(besides))


def loaded(text: str) -> dict[str, Any]:
    """All that the text says.

    Raises:
        Broken: it is no TOML.
    """
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise Broken("it is nested too deep") from None
    except ValueError as error:
        found = _PLACE.match(str(error))
        if found is None:
            raise Broken(str(error)) from None
        if found["line"] is None:
            raise Broken.at(found["said"].lower(), text, len(text)) from None
        raise Broken(found["said"].lower(), int(found["line"]), int(found["column"])) from None


def _tables(text: str) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    """Where each table begins and ends, its comments before the next one left to that, and its key."""
    heads = list(_headers(text))
    for at, (start, key) in enumerate(heads):
        end = heads[at + 1][0] if at + 1 < len(heads) else len(text)
        yield start, _last_value(text, start, end), key


def _headers(text: str) -> Iterator[tuple[int, tuple[str, ...]]]:
    """The lines that open a table; what stands in a text of several lines does not count."""
    at, inside = 0, ""
    for line in text.splitlines(keepends=True):
        head = _HEADER.match(line.rstrip("\r\n")) if not inside else None
        if head:
            yield at, _parts(head["key"])
        inside = _inside(line, inside)
        at += len(line)


def _inside(line: str, inside: str) -> str:
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


def _last_value(text: str, start: int, end: int) -> int:
    """Behind the last line of a table that is neither blank nor a comment."""
    last, at = start, start
    for line in text[start:end].splitlines(keepends=True):
        at += len(line)
        if line.strip() and not line.lstrip().startswith("#"):
            last = at
    return last


def _without(text: str, start: int, end: int) -> str:
    before = text[:start]
    if before.endswith(("\n\n", "\n\r\n")):
        before = before[: -2 if before.endswith("\r\n") else -1]
    return before + text[end:]


def _parts(key: str) -> tuple[str, ...]:
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


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else json.dumps(key)


def _value(value: Any) -> str:
    """A value as TOML; texts, numbers, truths, lists and tables of these."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_key(key)} = {_value(one)}" for key, one in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_value(one) for one in value) + "]"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return json.dumps(value)
