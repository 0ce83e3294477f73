"""Syntax errors of YAML in plain words."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from aurora.interpreter.problems import Fix, Place, codes, split_yaml_lines

from .node import MAX_PURE_CHARACTERS, MAX_PURE_EVENTS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aurora.interpreter.problems import Problem


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


class Diagnosis(NamedTuple):
    """The message in place of the parser's, and its place."""

    place: Place
    message: str
    help: str
    fix: Fix | None = None


class ParseFailure(NamedTuple):
    """A parser error: its message, its position and its context, counted from 0."""

    path: str
    lines: Sequence[str]
    message: str
    line: int
    column: int
    context: Any

    @property
    def text(self) -> str:
        """The line at which the parser stopped."""
        return self.lines[self.line] if self.line < len(self.lines) else ""

    def make_place(self, line: int, column: int, length: int = 1) -> Place:
        """Create a place from a line and a column that count from 0."""
        return Place(self.path, line + 1, column + 1, line + 1, column + 1 + max(length, 1))


_ODD_SPACE = re.compile("(?:(?<=^)|(?<=[ :-]))[\u00a0\u1680\u2000-\u200b\u202f\u205f\u3000\ufeff]+")

_MAX_LINES_BACK = 2

# A file of quotes alone would be searched up to its start at each error.
_MAX_LINES_UP = 1_000

_MAX_ODD_SPACES = 100
"""Odd spaces of a line that are looked at, each with the text before it."""

_CLOSERS = {"}": "{", "]": "["}


def diagnose_failure(seen: ParseFailure) -> Diagnosis | None:
    """Diagnose a syntax error, or return None."""
    for look in _DIAGNOSERS:
        found = look(seen)
        if found is not None:
            return found
    return None


def _diagnose_odd_space(seen: ParseFailure) -> Diagnosis | None:
    """Diagnose a character that only looks like a space, here or just above."""
    for line in range(min(seen.line, len(seen.lines) - 1), max(seen.line - _MAX_LINES_BACK, 0) - 1, -1):
        text = seen.lines[line]
        for found in islice(_ODD_SPACE.finditer(text), _MAX_ODD_SPACES):
            before = text[: found.start()]
            if before.strip(" -") and not before.endswith(":"):
                continue
            message = f"the character U+{ord(found[0][0]):04X} looks like a space, but is not one in YAML"
            # The two characters without a width separate nothing, so no space takes their place.
            wanted = "" if found[0][0] in "\u200b\ufeff" else " " * len(found[0])
            help_ = "put a plain space in its place" if wanted else "remove it"
            return Diagnosis(seen.make_place(line, found.start(), len(found[0])), message, help_, Fix(found[0], wanted))
    return None


def _diagnose_star(seen: ParseFailure) -> Diagnosis | None:
    """Diagnose `prompt_template: *Mind* the gap`: the star begins an alias."""
    found = re.search(r"(?:^|[:-] +)(\*\S+) +[^\s#:,\]}]", seen.text)
    if found is None or seen.column < found.start(1):
        return None
    place = seen.make_place(seen.line, found.start(1), len(found[1]))
    return Diagnosis(place, 'a "*" begins an alias, and text follows it', "put the whole value in quotes")


def _diagnose_missing_colon(seen: ParseFailure) -> Diagnosis | None:
    """Diagnose `start choose` and `start:choose`, reported a line later."""
    if "could not find expected ':'" not in seen.message or seen.context is None:
        return None
    line, column = seen.context.line, seen.context.column
    written = seen.lines[line][column:].split(" #")[0].rstrip()
    glued = re.match(r"([A-Za-z_][\w-]*):(?=\S)", written)
    if glued:
        place = seen.make_place(line, column + len(glued[1]))
        return Diagnosis(place, "a colon must be followed by a space", f"write `{glued[0]} …`", Fix(":", ": "))
    word = written.split(" ")[0]
    help_ = f"write `{word}: …`, or indent the line" if word.isidentifier() else "add the colon, or indent the line"
    return Diagnosis(seen.make_place(line, column, len(written)), 'a key must be followed by ": "', help_)


def _diagnose_key_without_colon(seen: ParseFailure) -> Diagnosis | None:
    """Diagnose a line `choose` above a deeper `inputs:`."""
    if "mapping values are not allowed" not in seen.message:
        return None
    above = next((line for line in range(seen.line - 1, -1, -1) if seen.lines[line].strip()), None)
    if above is None:
        return None
    written = seen.lines[above].split(" #")[0].rstrip()
    word = written.lstrip(" ").removeprefix("- ").strip()
    if not re.fullmatch(r"[A-Za-z_][\w-]*", word) or _count_indent(seen.text) <= _count_indent(written):
        return None
    place = seen.make_place(above, len(written) - len(word), len(word))
    return Diagnosis(place, 'a key must be followed by ": "', f"write `{word}:`", Fix(word, f"{word}:"))


def _diagnose_stray_bracket(seen: ParseFailure) -> Diagnosis | None:
    sign = seen.text[seen.column : seen.column + 1]
    if sign not in _CLOSERS or "'<stream end>'" in seen.message:
        return None
    wanted = "}" if "flow mapping" in seen.message else "]" if "flow sequence" in seen.message else ""
    if sign == wanted or (wanted == "]" and sign == "}"):
        return None
    return Diagnosis(seen.make_place(seen.line, seen.column), f'this "{sign}" closes nothing', "remove it")


def _diagnose_text_after_quote(seen: ParseFailure) -> Diagnosis | None:
    """Diagnose `"Say "hello" to them"`, a text after the closing quote."""
    before, rest = seen.text[: seen.column].rstrip(), seen.text[seen.column :]
    if before[-1:] not in ("'", '"') or not rest.strip() or rest[:1] in "#:":
        return None
    if re.match(r"""(["']?)[\w-]+\1\s*:""", rest):
        return None  # a comma is missing before the next key
    quote = before[-1]
    inside = "double a quote inside: `''`" if quote == "'" else 'write a quote inside as `\\"`'
    word = re.match(r"[^\s,\]}]*", rest)
    place = seen.make_place(seen.line, seen.column, len(word[0]) if word else 1)
    return Diagnosis(place, "the quoted text ended before this", f"{inside}, or use the other quotes around the text")


def _diagnose_open_quote(seen: ParseFailure) -> Diagnosis | None:
    """Diagnose a quote of an earlier line that is still open where the next quoted text begins."""
    before = seen.text[: seen.column].rstrip()
    quote = before[-1:]
    if quote not in ("'", '"') or before.count(quote) % 2 == 0:
        return None
    opening = re.compile(rf"(?:^ *|[:,\[{{-] +){quote}(?=[^{quote}]*$)")
    for line in range(seen.line - 1, max(seen.line - _MAX_LINES_UP, 0) - 1, -1):
        found = opening.search(seen.lines[line]) if seen.lines[line].count(quote) % 2 else None
        if found is not None:
            place = seen.make_place(line, found.end() - 1)
            return Diagnosis(place, "the quoted text that begins here never ends", "close the quotes")
    return None


def _diagnose_open_bracket(seen: ParseFailure) -> Diagnosis | None:
    """Diagnose a bracket that is still open where the next key begins."""
    if "expected ','" not in seen.message or seen.context is None or seen.context.line >= seen.line:
        return None
    opened = seen.lines[seen.context.line]
    if seen.text[: seen.column].strip() or _count_indent(seen.text) > _count_indent(opened):
        return None
    sign = opened[seen.context.column : seen.context.column + 1]
    wanted = next((closer for closer, opener in _CLOSERS.items() if opener == sign), "")
    place = seen.make_place(seen.context.line, seen.context.column)
    return (
        Diagnosis(place, "the bracket that opens here is never closed", f'add the missing "{wanted}"')
        if wanted
        else None
    )


def _diagnose_missing_key(seen: ParseFailure) -> Diagnosis | None:
    if not re.match(r" *:(\s|$)", seen.text) or seen.text[: seen.column].strip():
        return None
    return Diagnosis(
        seen.make_place(seen.line, seen.column), "there is no key before this colon", "write the key, or remove it"
    )


def _diagnose_key_at_margin(seen: ParseFailure) -> Diagnosis | None:
    """Diagnose a key at the left margin after which the mapping above it goes on."""
    indent = _count_indent(seen.text)
    if "block mapping" not in seen.message or not indent or seen.text[: seen.column].strip():
        return None
    line, inner = _find_margin_key(seen.lines, seen.line)
    above, siblings = _find_margin_key(seen.lines, line)
    if above < 0 or inner <= indent or siblings not in (0, indent):
        return None
    name, outer = (seen.lines[at].partition(":")[0] for at in (line, above))
    message = f'"{name}" is at the left margin, and line {seen.line + 1} goes on with what is in "{outer}"'
    help_ = f'indent "{name}" by {indent} spaces, as the keys in "{outer}"'
    return Diagnosis(seen.make_place(line, 0, len(name)), message, help_, Fix(name, f"{' ' * indent}{name}"))


def _find_margin_key(lines: Sequence[str], before: int) -> tuple[int, int]:
    """Find the nearest key at the left margin above a line, and the indentation of its first line.

    Returns:
        The line, or -1 where no line at the margin is a key without a value; the indentation, or 0 without a line.
    """
    first = 0
    for line in range(before - 1, -1, -1):
        text = lines[line]
        if not text.strip() or text.lstrip(" ").startswith("#"):
            continue
        if not text.startswith(" "):
            return (line if _MARGIN_KEY.fullmatch(text) else -1), first
        first = _count_indent(text)
    return -1, first


_MARGIN_KEY = re.compile(r"[A-Za-z_][\w-]*: *(?: #.*)?")


def _count_indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


_DIAGNOSERS = (
    _diagnose_odd_space,
    _diagnose_star,
    _diagnose_missing_colon,
    _diagnose_key_without_colon,
    _diagnose_stray_bracket,
    _diagnose_open_quote,
    _diagnose_text_after_quote,
    _diagnose_open_bracket,
    _diagnose_key_at_margin,
    _diagnose_missing_key,
)
