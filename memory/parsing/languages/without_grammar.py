"""Languages without a grammar: patterns of lines that begin a definition."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_MODIFIERS = r"^\s*(?:@[\w.]+(?:\([^()]*\))?\s+|(?:[a-z]+(?:\([a-z]+\))?)\s+){0,6}?"
_MAX_CHARS = 400
"""The most characters of a definition's line; a longer line is data."""


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
    "fish": (re.compile(r"^\s*(?P<kind>function)\s+(?P<name>[A-Za-z_][\w-]*)"),),
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
    "scala": (_compile_words("class", "object", "trait", "enum", "def", "type"),),
    "swift": (_compile_words("class", "struct", "enum", "protocol", "extension", "actor", "func", "typealias"),),
    "zig": (
        re.compile(r"^\s*(?:pub |export |inline |extern )*(?P<kind>fn)\s+(?P<name>[A-Za-z_]\w*)"),
        re.compile(r"^\s*(?:pub )?const\s+(?P<name>[A-Z]\w*)\s*=\s*(?:extern |packed )?(?P<kind>struct|enum|union)\b"),
    ),
    "zsh": (
        re.compile(r"^\s*(?P<kind>function)\s+(?P<name>[A-Za-z_][\w-]*)"),
        re.compile(r"^\s*(?P<name>[A-Za-z_][\w-]*)\s*\(\)"),
    ),
}
"""The patterns of each language, with the name as group `name` and its keyword as group `kind`."""

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
    """Find the lines that look like definitions, in order; none for a language without patterns."""
    rules = _PATTERNS.get(language, ())
    for row, line in enumerate(lines if rules else ()):
        if len(line) <= _MAX_CHARS and (found := next(filter(None, (rule.match(line) for rule in rules)), None)):
            yield LineDefinition(row, _classify_word(found.groupdict().get("kind")), found["name"])


def _classify_word(word: str | None) -> str:
    if word in _FUNCTION_WORDS:
        return "function"
    kind = _KIND_BY_WORD.get(word or "", word or "")
    if kind in _KINDS:
        return kind
    return "function" if kind.startswith(("defp", "defg", "defd")) else "class"
