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


_PATTERNS: Mapping[str, tuple[re.Pattern[str], ...]] = {
    "dart": (_compile_words("class", "mixin", "enum", "extension", "typedef"),),
    "fish": (re.compile(r"^\s*(?P<kind>function)\s+(?P<name>[A-Za-z_][\w-]*)"),),
    "perl": (re.compile(r"^\s*(?P<kind>sub|package)\s+(?:\w+::)*(?P<name>[A-Za-z_]\w*)"),),
    # The grammar of SQL (13 MB) has errors in 250 of 258 files of three projects: dialects and templates.
    "sql": (
        re.compile(
            r"^\s*create\s+(?:or\s+replace\s+)?(?:\w+\s+){0,3}?"
            r"(?P<kind>table|view|type|function|procedure|trigger)\s+"
            r"(?:if\s+not\s+exists\s+)?(?:(?:\{\{[^{}]*\}\}|[\w@\"`\[\]]+)\.){0,2}[\"`\[]?(?P<name>[A-Za-z_]\w*)",
            re.IGNORECASE,
        ),
    ),
    "zsh": (
        re.compile(r"^\s*(?P<kind>function)\s+(?P<name>[A-Za-z_][\w-]*)"),
        re.compile(r"^\s*(?P<name>[A-Za-z_][\w-]*)\s*\(\)"),
    ),
}
"""The patterns of each language, with the name as group `name` and its keyword as group `kind`."""

_KIND_BY_WORD = {
    "class": "class",
    "enum": "enum",
    "extension": "class",
    "mixin": "class",
    "package": "module",
    "table": "type",
    "type": "type",
    "typedef": "type",
    "view": "type",
}
"""The kind of what a keyword defines; the other keywords define functions."""


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
            word = found.groupdict().get("kind") or ""
            yield LineDefinition(row, _KIND_BY_WORD.get(word.lower(), "function"), found["name"])
