"""Languages without a grammar here: a definition is a line that looks like one, by the words that it begins with."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_MODIFIERS = r"^\s*(?:@[\w.]+(?:\([^()]*\))?\s+|(?:[a-z]+(?:\([a-z]+\))?)\s+){0,6}?"
_MAX_CHARS = 400
"""A longer line is data."""


def _compile_words(
    *kinds: str, name: str = r"(?P<name>[A-Za-z_]\w*[?!]?)", before: str = _MODIFIERS
) -> re.Pattern[str]:
    return re.compile(rf"{before}(?P<kind>{'|'.join(kinds)})\s+{name}")


_KOTLIN_NAME = r"(?:<[^<>]*>\s*)?(?:[\w<>?*, ]+\.)?(?P<name>[A-Za-z_]\w*)"
_PATTERNS: Mapping[str, tuple[re.Pattern[str], ...]] = {
    "dart": (_compile_words("class", "mixin", "enum", "extension", "typedef"),),
    "elixir": (
        _compile_words("defmodule", "defprotocol", "defimpl", name=r"(?:\w+\.)*(?P<name>[A-Z]\w*)"),
        _compile_words("defp?", "defmacrop?", "defguardp?", "defdelegate", before=r"^\s*"),
    ),
    "haskell": (
        re.compile(r"^(?P<kind>data|newtype|class|type)\s+(?:[^=]*=>\s*)?(?P<name>[A-Z][\w']*)"),
        re.compile(r"^(?P<name>[a-z_][\w']*)(?:\s*,\s*[a-z_][\w']*)*\s*::"),
    ),
    "kotlin": (_compile_words("class", "interface", "object", "fun", "typealias", name=_KOTLIN_NAME),),
    "lua": (
        re.compile(r"^\s*(?:local\s+)?(?P<kind>function)\s+(?:[\w]+[.:])*(?P<name>[A-Za-z_]\w*)"),
        re.compile(r"^\s*(?:local\s+)?(?:[\w]+\.)*(?P<name>[A-Za-z_]\w*)\s*=\s*(?P<kind>function)\b"),
    ),
    "perl": (re.compile(r"^\s*(?P<kind>sub|package)\s+(?:\w+::)*(?P<name>[A-Za-z_]\w*)"),),
    "php": (_compile_words("class", "interface", "trait", "enum", "function"),),
    "scala": (_compile_words("class", "object", "trait", "enum", "def", "type"),),
    "shell": (
        re.compile(r"^\s*(?P<kind>function)\s+(?P<name>[A-Za-z_][\w-]*)"),
        re.compile(r"^\s*(?P<name>[A-Za-z_][\w-]*)\s*\(\)"),
    ),
    "swift": (_compile_words("class", "struct", "enum", "protocol", "extension", "actor", "func", "typealias"),),
    "zig": (
        re.compile(r"^\s*(?:pub |export |inline |extern )*(?P<kind>fn)\s+(?P<name>[A-Za-z_]\w*)"),
        re.compile(r"^\s*(?:pub )?const\s+(?P<name>[A-Z]\w*)\s*=\s*(?:extern |packed )?(?P<kind>struct|enum|union)\b"),
    ),
}
"""Language -> how its definitions look."""

_FUNCTION_WORDS = frozenset({"fun", "func", "fn", "sub", "function", None})
_FUNCTION_WORDS |= {"def", "defp", "defmacro", "defmacrop", "defguard", "defguardp", "defdelegate"}
_KIND_BY_WORD = {
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


class LineDefinition(NamedTuple):
    """A line that looks like a definition; rows are counted from 0."""

    row: int
    kind: str
    name: str


def find_definitions(lines: Sequence[str], language: str) -> Iterator[LineDefinition]:
    """What the lines of a file seem to define, in order; nothing for a language of which nothing is known."""
    rules = _PATTERNS.get(language, ())
    for row, line in enumerate(lines if rules else ()):
        if len(line) <= _MAX_CHARS and (found := next(filter(None, (rule.match(line) for rule in rules)), None)):
            yield LineDefinition(row, _classify_word(found.groupdict().get("kind")), found["name"])


def _classify_word(word: str | None) -> str:
    if word in _FUNCTION_WORDS:
        return "function"
    kind = _KIND_BY_WORD.get(word or "", word or "")
    return (
        kind if kind in _KINDS else "function" if kind.startswith("def") and kind[3:4] in {"p", "g", "d"} else "class"
    )
