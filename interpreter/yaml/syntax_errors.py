"""Syntax errors of YAML in plain words."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from aurora.interpreter.problems import Place, codes, split_yaml_lines

from .diagnose import ParseFailure, diagnose_failure
from .limits import MAX_PURE_CHARACTERS, MAX_PURE_EVENTS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aurora.interpreter.problems import Problem

    from .diagnose import Diagnosis


def parse_events(text: str, *, pure: bool) -> Iterator[Any]:
    """Iterate over the parser's events; raise whatever the parser raises."""
    from ruamel.yaml import YAML  # noqa: PLC0415 - 20 ms that `aur --help` must not pay

    # the C parser is nine times as fast, which counts at the start of the server
    _, parser = YAML(typ="safe", pure=pure).get_constructor_parser(text)
    return iter(parser.get_event, None)


def make_syntax_problem(text: str, path: str, first: Exception) -> Problem:
    """Create the problem of a text that the fast parser refused with `first`.

    The pure parser has better messages and places; if it accepts the text, the fast parser's message is used.
    """
    pure = _find_pure_error(text, first)
    error = pure or first
    character = getattr(error, "character", None)
    if character is not None:
        return _report_odd_character(text, path, int(getattr(error, "position", 0)))
    marks = [_to_mark(text, getattr(error, name, None), pure=pure is not None) for name in _MARKS]
    found = _diagnose_mark(text, path, error, marks)
    if found is not None:
        return codes.SYNTAX.make_problem(found.place, found.message, help=found.help, fix=found.fix)
    message, help_ = _translate_error(error)
    if message in _PLACED_AT_START:
        marks.reverse()
    return codes.SYNTAX.make_problem(_make_place(path, marks[0] or marks[1]), message, help=help_)


class _Mark(NamedTuple):
    """A line and a column, from 0."""

    line: int
    column: int


_MARKS = ("problem_mark", "context_mark")


def _to_mark(text: str, mark: Any, *, pure: bool) -> _Mark | None:
    """Convert the mark to lines of YAML; the pure parser has fewer line breaks."""
    if mark is None:
        return None
    if not pure:
        return _Mark(mark.line, mark.column)
    before = split_yaml_lines(text[: mark.index])
    return _Mark(len(before) - 1, len(before[-1]))


def _diagnose_mark(text: str, path: str, error: Exception, marks: Sequence[_Mark | None]) -> Diagnosis | None:
    mark, context = marks
    return (
        diagnose_failure(
            ParseFailure(path, split_yaml_lines(text), _read_message(error), mark.line, mark.column, context)
        )
        if mark
        else None
    )


def _find_pure_error(text: str, first: Exception) -> Exception | None:
    """Find the pure parser's error; None if it is far from the start, because this parser is slow."""
    mark = getattr(first, "problem_mark", None)
    if getattr(mark, "index", 0) > MAX_PURE_CHARACTERS:
        return None
    try:
        for _ in islice(parse_events(text, pure=True), MAX_PURE_EVENTS):
            pass
    except Exception as error:  # noqa: BLE001 - the parser raises many types on hostile text
        return error
    return None


def _report_odd_character(text: str, path: str, position: int) -> Problem:
    position = min(position, max(len(text) - 1, 0))
    before = split_yaml_lines(text[:position])
    line, column = len(before), len(before[-1]) + 1
    shown = f"U+{ord(text[position]):04X}" if text else "that"
    message = f"the character {shown} is not allowed in YAML"
    return codes.SYNTAX.make_problem(Place(path, line, column, line, column + 1), message, help="remove it")


def _make_place(path: str, mark: Any) -> Place:
    if mark is None:
        return Place(path, 1, 1, 1, 2)
    return Place(path, mark.line + 1, mark.column + 1, mark.line + 1, mark.column + 2)


_NAMELESS_ALIAS = 'a "*" begins an alias, and its name is missing'
_NAMELESS_ANCHOR = 'a "&" begins an anchor, and its name is missing'
_DIRECTIVE = 'a line that begins with "%" is a directive, and this one is unknown'

_TRANSLATIONS = (
    ("'\\t'", "a tab cannot indent YAML", "use spaces"),
    ("'`'", "a backtick cannot begin a value", 'put the value in quotes, as in "`1`"'),
    ("'@'", 'an "@" cannot begin a value', "put the value in quotes"),
    ("'%'", 'a "%" cannot begin a value', "put the value in quotes"),
    (
        "mapping values are not allowed",
        "a colon makes a mapping here, and there cannot be one",
        "put a text with a colon in quotes; otherwise check the indentation",
    ),
    ("unexpected end of stream", "the quoted text that begins here never ends", "close the quotes"),
    (
        "unknown escape character",
        "a backslash in double quotes begins an escape; this is not one",
        "use single quotes",
    ),
    ("but got '<stream end>'", "the bracket that opens here is never closed", 'add the missing "]" or "}"'),
    ("but found '<stream end>'", "the file ends where a value is expected", "add the value, or close the bracket"),
    (
        "expected the node content",
        "a value is expected here, and this is not one",
        "add the value, or put this in quotes",
    ),
    ("expected ',' or '}'", 'after a value between "{" and "}" comes "," or "}"', "add it, or close the brace"),
    (
        "expected ',' or ']'",
        'after a value between "[" and "]" comes "," or "]"',
        "add it, or close the bracket",
    ),
    ("while parsing a block mapping", "this line does not fit the mapping above it", "align it with the keys above"),
    ("while parsing a block collection", "this line does not fit the list above it", 'begin it with "- ", aligned'),
    ("while scanning an alias", _NAMELESS_ALIAS, "put the value in quotes"),
    ("while scanning an anchor", _NAMELESS_ANCHOR, "put the value in quotes"),
    ("expected a comment or a line break", 'the text after "|" or ">" must begin on the next line', "move it there"),
    ("mapping keys are not allowed", 'a "?" begins a key, and there cannot be one here', "put the value in quotes"),
    ("expected <document start>", "the document has ended above; nothing may follow", 'remove the line "..."'),
    ("expected '<document start>'", "the document has ended above; nothing may follow", 'remove the line "..."'),
    ("found unexpected ':'", "this value contains a colon", "put the value in quotes"),
    ("while scanning a directive", _DIRECTIVE, "remove it, or put the value in quotes"),
    ("incompatible YAML document", "this is another version of YAML than 1", "remove the line"),
    ("invalid Unicode character escape", "this escape names no character", "write the character itself"),
    ("expected escape sequence", "this escape is cut short", "complete it, or write the character itself"),
    ("could not find expected ':'", 'a key must be followed by ": "', "add the colon, or indent the line"),
)
"""The parser's words, the message, and the help."""

_PLACED_AT_START = frozenset(
    {
        "the quoted text that begins here never ends",
        "the bracket that opens here is never closed",
        _NAMELESS_ALIAS,
        _NAMELESS_ANCHOR,
        _DIRECTIVE,
    }
)
"""Messages placed at the start of the construct, which the parser reports later."""


def _read_message(error: Exception) -> str:
    parts = (getattr(error, "problem", None), getattr(error, "context", None))
    message = " ".join(str(part) for part in parts if part) or str(error)
    return message.split("\n", 1)[0].strip().rstrip(".")


def _translate_error(error: Exception) -> tuple[str, str]:
    message = _read_message(error)
    for sign, words, help_ in _TRANSLATIONS:
        if sign in message:
            return words, help_
    return f"this is not YAML: {message or 'it cannot be read'}", ""
