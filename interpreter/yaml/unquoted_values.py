"""Recovery from YAML values that need quotes.

One such value must not hide other errors of the file. It is read as if it were in quotes; for the parser a placeholder
of the same length replaces it, so that every other place stays the same.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from aurora.interpreter.problems import Fix, Place, codes, split_with_breaks

if TYPE_CHECKING:
    from collections.abc import Iterable

    from aurora.interpreter.problems import Problem

# Possessive at the start, and without a choice of where the key ends: each character is tried a few times only.
_KEY = re.compile(r"""[ ]*+(?:-[ ]++)*+(?:"[^"]*+"|'[^']*+'|[^\s:#'"{\[&*!|>](?:[^:#]*[^:# ])?)[ ]*:[ ]+""")
_FLOW_TEXT = re.compile(r"[^,\]}]*+")
_FLOW_TEXT_BEFORE_BRACES = re.compile(r"[^,\]}{`]*+")
_FLOW_QUOTES = (("{{", "}}"), ("{%", "%}"), ("`", "`"))
_COMMENT = re.compile(r"[ \t]+#")
_IN_BLOCK = re.compile(r"(?:(?![ \t]#).)+")
_BEFORE_VALUE = ("", ":", "-", "[", "{", ",", "?")
_MIN_PLACEHOLDER = 2
_OPENERS = "'\"{[&*!|>"
PLACEHOLDER = "x"
_QUOTE_HELP = "put the whole value in quotes"


class Position(NamedTuple):
    """A line and a column, both from 0."""

    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Recovery:
    """A repaired text: the position of the value, the value itself, and its problem.

    A value that only older YAML refuses is valid; its problem says so where there are too many of them.
    """

    text: str
    spot: Position
    value: str
    problem: Problem
    is_valid: bool = False


def recover_bad_start(text: str, path: str, spot: Position, *, in_flow: bool) -> Recovery | None:
    """Recover a value that begins with `{{`, `{%`, a backtick, `@` or `%`.

    Args:
        text: the document.
        path: the name of the file in the problem.
        spot: the position where the parser stopped, or of the two braces.
        in_flow: True inside brackets of an earlier line.
    """
    parts = split_with_breaks(text)
    line = parts[2 * spot.line]
    start = spot.column - 1 if line[spot.column - 1 : spot.column + 1] == "{%" else spot.column
    before = line[:start].rstrip()
    if before[-1:] not in _BEFORE_VALUE or not line[start:].strip():
        return None
    value = _match_value(line, start, in_flow=in_flow or _is_bracket_open(before))
    sign = line[start : start + 2] if line[start] == "{" else line[start]
    words = _SIGN_WORDS.get(sign)
    return _make_recovery(parts, path, Position(spot.line, start), value, (words, _QUOTE_HELP)) if words else None


def recover_colon(text: str, path: str, spot: Position) -> Recovery | None:
    """Recover a text such as `Tea: a drink` after a key, if the line has one."""
    parts = split_with_breaks(text)
    line = parts[2 * spot.line]
    key = _KEY.match(line)
    if key is None or not key.end() <= spot.column or line[key.end()] in _OPENERS:
        return None
    value = _match_value(line, key.end(), in_flow=False)
    return _make_recovery(parts, path, Position(spot.line, key.end()), value, _COLON_WORDS)


def recover_text_in_flow(text: str, path: str, spot: Position) -> Recovery | None:
    """Recover a text with a colon or "?" in brackets, as in `{ title: Tea: a drink }`."""
    parts = split_with_breaks(text)
    line = parts[2 * spot.line]
    start = max((found.end() for found in _VALUE_START.finditer(line, 0, spot.column)), default=spot.column)
    words = next((words for sign, words in _FLOW_WORDS.items() if line.startswith(sign, spot.column)), None)
    if words is None or start >= spot.column or line[start] in _OPENERS:
        return None
    value = _match_value(line, start, in_flow=True) if words is not _BRACKET_WORDS else _match_brackets(line, start)
    if words is _MARK_WORDS:
        recovery = _make_recovery(parts, path, Position(spot.line, start), _COMMENT.split(value)[0], words)
        return recovery and replace(recovery, is_valid=True)
    missing = _MISSING_COMMA.fullmatch(line, start, spot.column) if words is _COLON_WORDS else None
    if missing:
        words = (words[0], f'put a "," before "{missing["key"]}" if it is a key, or the whole value in quotes')
    return _make_recovery(parts, path, Position(spot.line, start), value, words)


def recover_block_text(text: str, path: str, spot: Position) -> Recovery | None:
    """Recover a text on the line of its `|` or `>`."""
    parts = split_with_breaks(text)
    line = parts[2 * spot.line]
    key = _KEY.match(line)
    if key is None or line[key.end() : key.end() + 1] not in ("|", ">"):
        return None
    return _make_recovery(
        parts, path, Position(spot.line, key.end()), _match_value(line, key.end(), in_flow=False), _BLOCK_WORDS
    )


_COLON_WORDS = ('": " inside a text would begin a mapping', _QUOTE_HELP)
_BRACKET_WORDS = ('a "[" in a text between brackets needs quotes', _QUOTE_HELP)
_MARK_WORDS = ('a "?" in a text between brackets needs quotes in YAML 1.1', _QUOTE_HELP)
_FLOW_WORDS = {
    ": ": _COLON_WORDS,
    "?": _MARK_WORDS,
    "[": _BRACKET_WORDS,
}
_BLOCK_WORDS = ('the text after "|" or ">" must begin on the next line', "move it there")
_MISSING_COMMA = re.compile(r".*[^\s,:] +(?P<key>[a-z_]{1,40})")
"""A text that ends with a word, such as `part max` in `{ as: part max: 2 }`."""
_VALUE_START = re.compile(r"(?:: +|[\[{,] *)(?=\S)")


_SIGN_WORDS = {
    "{{": '"{{" begins two YAML mappings, not a template',
    "{%": '"{%" begins a YAML mapping, not a template',
    "`": "a backtick cannot begin a value",
    "@": 'an "@" cannot begin a value',
    "%": 'a "%" cannot begin a value',
}


def _match_value(line: str, start: int, *, in_flow: bool) -> str:
    if in_flow:
        return line[start : _find_flow_end(line, start)].rstrip()
    found = _IN_BLOCK.match(line, start)
    return found[0].rstrip() if found else ""


def _match_brackets(line: str, start: int) -> str:
    """Match a value up to the comma or bracket that ends it; its own brackets are part of it."""
    depth = 0
    for at in range(start, len(line)):
        if line[at] in "[{":
            depth += 1
        elif depth == 0 and line[at] in ",]}":
            return line[start:at].rstrip()
        elif line[at] in "]}":
            depth -= 1
    return ""


def _find_flow_end(line: str, start: int) -> int:
    """Find the end of a value in brackets; a bracket between braces or backticks does not end it."""
    quotes = [(opener, closer, line.rfind(closer)) for opener, closer in _FLOW_QUOTES]
    at = start
    while True:
        # what is not closed any more is not searched for: the time is linear
        quotes = [quote for quote in quotes if quote[2] > at]
        found = (_FLOW_TEXT_BEFORE_BRACES if quotes else _FLOW_TEXT).match(line, at)
        at = found.end() if found else at
        if line[at : at + 1] not in ("{", "`"):
            return at
        opener, closer, _ = next((quote for quote in quotes if line.startswith(quote[0], at)), ("", "", 0))
        end = line.find(closer, at + len(opener)) if opener else -1
        at = end + len(closer) if end >= 0 else at + 1


def _is_bracket_open(before: str) -> bool:
    """Check that a bracket is open at the end of this part of a line."""
    bare = re.sub(r"""'[^']*'|"[^"]*\"""", "", before)
    return any(bare.count(recovery) > bare.count(other) for recovery, other in ("{}", "[]"))


def _make_recovery(parts: list[str], path: str, spot: Position, value: str, words: tuple[str, str]) -> Recovery | None:
    if len(value) < _MIN_PLACEHOLDER:
        return None
    at, line = 2 * spot.line, parts[2 * spot.line]
    end = spot.column + len(value)
    parts[at] = f"{line[: spot.column]}{PLACEHOLDER * len(value)}{line[end:]}"
    place = Place(path, spot.line + 1, spot.column + 1, spot.line + 1, end + 1)
    problem = codes.SYNTAX.make_problem(place, words[0], help=words[1], fix=Fix(value, _quote_value(value)))
    return Recovery("".join(parts), spot, value, problem)


def _quote_value(value: str) -> str:
    plain = not any(char in value for char in '"\\')
    return f'"{value}"' if plain else "'{}'".format(value.replace("'", "''"))


def map_placeholders(recoveries: Iterable[Recovery]) -> dict[Position, str]:
    """Map the position of each placeholder to its value."""
    return {recovery.spot: recovery.value for recovery in recoveries}
