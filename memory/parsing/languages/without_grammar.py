"""Languages without a grammar here: a definition is a line that looks like one, by the words that it begins with."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_BEFORE = r"^\s*(?:@[\w.]+(?:\([^()]*\))?\s+|(?:[a-z]+(?:\([a-z]+\))?)\s+){0,6}?"
_CHARS = 400
"""A longer line is data."""


def _words(*kinds: str, name: str = r"(?P<name>[A-Za-z_]\w*[?!]?)", before: str = _BEFORE) -> re.Pattern[str]:
    return re.compile(rf"{before}(?P<kind>{'|'.join(kinds)})\s+{name}")


_KOTLIN = r"(?:<[^<>]*>\s*)?(?:[\w<>?*, ]+\.)?(?P<name>[A-Za-z_]\w*)"
_RULES: Mapping[str, tuple[re.Pattern[str], ...]] = {
    "dart": (_words("class", "mixin", "enum", "extension", "typedef"),),
    "elixir": (
        _words("defmodule", "defprotocol", "defimpl", name=r"(?:\w+\.)*(?P<name>[A-Z]\w*)"),
        _words("defp?", "defmacrop?", "defguardp?", "defdelegate", before=r"^\s*"),
    ),
    "haskell": (
        re.compile(r"^(?P<kind>data|newtype|class|type)\s+(?:[^=]*=>\s*)?(?P<name>[A-Z][\w']*)"),
        re.compile(r"^(?P<name>[a-z_][\w']*)(?:\s*,\s*[a-z_][\w']*)*\s*::"),
    ),
    "kotlin": (_words("class", "interface", "object", "fun", "typealias", name=_KOTLIN),),
    "lua": (
        re.compile(r"^\s*(?:local\s+)?(?P<kind>function)\s+(?:[\w]+[.:])*(?P<name>[A-Za-z_]\w*)"),
        re.compile(r"^\s*(?:local\s+)?(?:[\w]+\.)*(?P<name>[A-Za-z_]\w*)\s*=\s*(?P<kind>function)\b"),
    ),
    "perl": (re.compile(r"^\s*(?P<kind>sub|package)\s+(?:\w+::)*(?P<name>[A-Za-z_]\w*)"),),
    "php": (_words("class", "interface", "trait", "enum", "function"),),
    "scala": (_words("class", "object", "trait", "enum", "def", "type"),),
    "shell": (
        re.compile(r"^\s*(?P<kind>function)\s+(?P<name>[A-Za-z_][\w-]*)"),
        re.compile(r"^\s*(?P<name>[A-Za-z_][\w-]*)\s*\(\)"),
    ),
    "swift": (_words("class", "struct", "enum", "protocol", "extension", "actor", "func", "typealias"),),
    "zig": (
        re.compile(r"^\s*(?:pub |export |inline |extern )*(?P<kind>fn)\s+(?P<name>[A-Za-z_]\w*)"),
        re.compile(r"^\s*(?:pub )?const\s+(?P<name>[A-Z]\w*)\s*=\s*(?:extern |packed )?(?P<kind>struct|enum|union)\b"),
    ),
}
"""Language -> how its definitions look."""

_FUNCTIONS = frozenset({"fun", "func", "fn", "sub", "function", None})
_FUNCTIONS |= {"def", "defp", "defmacro", "defmacrop", "defguard", "defguardp", "defdelegate"}
_TYPES = {
    "protocol": "interface",
    "actor": "class",
    "package": "module",
    "typealias": "type",
    "typedef": "type",
    "newtype": "type",
    "defmodule": "module",
    "defprotocol": "interface",
    "defimpl": "impl",
}
_KINDS = frozenset({"class", "struct", "enum", "union", "interface", "trait", "type", "module", "impl"})


class Line(NamedTuple):
    """A line that looks like a definition; rows are counted from 0."""

    row: int
    kind: str
    name: str


def definitions(lines: Sequence[str], language: str) -> Iterator[Line]:
    """What the lines of a file seem to define, in order; nothing for a language of which nothing is known."""
    rules = _RULES.get(language, ())
    for row, line in enumerate(lines if rules else ()):
        if len(line) <= _CHARS and (found := next(filter(None, (rule.match(line) for rule in rules)), None)):
            yield Line(row, _kind(found.groupdict().get("kind")), found["name"])


def _kind(word: str | None) -> str:
    if word in _FUNCTIONS:
        return "function"
    kind = _TYPES.get(word or "", word or "")
    return (
        kind if kind in _KINDS else "function" if kind.startswith("def") and kind[3:4] in {"p", "g", "d"} else "class"
    )
