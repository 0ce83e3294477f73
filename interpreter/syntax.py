"""Why a text is not YAML, in the words of the person who wrote it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import codes
from .lines import yaml_lines
from .problems import Place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .problems import Problem


def parse(text: str, *, pure: bool) -> Iterator[Any]:
    """The parser's events; raises whatever the parser does."""
    from ruamel.yaml import YAML  # noqa: PLC0415 - 20 ms that `aur --help` must not pay

    # The C parser is nine times as fast, which is what the start of the server is made of.
    yield from YAML(typ="safe", pure=pure).parse(text)


def syntax_problem(text: str, path: str, first: Exception) -> Problem:
    """The problem of a text that the fast parser refused with `first`.

    The pure parser words and places it better; where that one accepts the text, the fast one's words must do.
    """
    error = _pure_error(text) or first
    character = getattr(error, "character", None)
    if character is not None:
        return _odd_character(text, path, int(getattr(error, "position", 0)))
    message, help_ = _plain_words(error)
    marks = [getattr(error, "problem_mark", None), getattr(error, "context_mark", None)]
    if message in _AT_BEGINNING:
        marks.reverse()
    return codes.SYNTAX.at(_at(path, marks[0] or marks[1]), message, help=help_)


def _pure_error(text: str) -> Exception | None:
    try:
        for _ in parse(text, pure=True):
            pass
    except Exception as error:  # noqa: BLE001 - the parser lets several kinds escape on hostile text
        return error
    return None


def _odd_character(text: str, path: str, position: int) -> Problem:
    position = min(position, max(len(text) - 1, 0))
    before = yaml_lines(text[:position])
    line, column = len(before), len(before[-1]) + 1
    shown = f"U+{ord(text[position]):04X}" if text else "that"
    message = f"the character {shown} may not stand in YAML"
    return codes.SYNTAX.at(Place(path, line, column, line, column + 1), message, help="remove it")


def _at(path: str, mark: Any) -> Place:
    if mark is None:
        return Place(path, 1, 1, 1, 2)
    return Place(path, mark.line + 1, mark.column + 1, mark.line + 1, mark.column + 2)


_KNOWN = (
    ("'\\t'", "a tab cannot indent YAML", "use spaces"),
    ("'`'", "a backtick cannot begin a value", 'put the value in quotes, as in "`1`"'),
    ("'@'", 'an "@" cannot begin a value', "put the value in quotes"),
    ("'%'", 'a "%" cannot begin a value', "put the value in quotes"),
    (
        "mapping values are not allowed",
        "a colon makes a mapping here, and there cannot be one",
        "put a text that holds a colon in quotes; else look at the indentation",
    ),
    ("unexpected end of stream", "the quotation that begins here never ends", "close the quotes"),
    (
        "unknown escape character",
        "a backslash in double quotes begins an escape; this is none",
        "use single quotes",
    ),
    ("but got '<stream end>'", "the bracket that opens here is never closed", 'add the missing "]" or "}"'),
    ("but found '<stream end>'", "the file ends where a value is still due", "add the value, or close the bracket"),
    ("expected the node content", "a value is due here, and this is none", "add the value, or put this in quotes"),
    ("expected ',' or '}'", 'after a value between "{" and "}" comes "," or "}"', "add it, or close the brace"),
    (
        "expected ',' or ']'",
        'after a value between "[" and "]" comes "," or "]"',
        "add it, or close the bracket",
    ),
    ("while parsing a block mapping", "this line does not fit the mapping above it", "align it with the keys above"),
    ("while parsing a block collection", "this line does not fit the list above it", 'begin it with "- ", aligned'),
    ("could not find expected ':'", 'a key must be followed by ": "', "add the colon, or indent the line"),
)
"""What the parser says, what a person is told, and what mends it."""

_AT_BEGINNING = frozenset({"the quotation that begins here never ends", "the bracket that opens here is never closed"})
"""Told where the thing begins; the parser noticed it at the end of the file."""


def _plain_words(error: Exception) -> tuple[str, str]:
    parts = (getattr(error, "problem", None), getattr(error, "context", None))
    message = " ".join(str(part) for part in parts if part) or str(error)
    message = message.split("\n", 1)[0].strip().rstrip(".")
    for sign, told, help_ in _KNOWN:
        if sign in message:
            return told, help_
    return f"this is not YAML: {message or 'it cannot be read'}", ""
