"""Recovery from YAML values that need quotes.

One such value must not hide other errors of the file. It is read as if it were in quotes; for the parser a placeholder
of the same length replaces it, so that every other place stays the same.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from aurora.interpreter.problems import Fix, Place, codes, split_with_breaks

from .node import Node

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

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
    """A repaired text: the position and width of the value in the file, the value itself, and its problem.

    A value that only older YAML refuses is valid; its problem says so where there are too many of them.
    """

    text: str
    spot: Position
    width: int
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
    if line.startswith("{{", spot.column):
        return _recover_prose(parts, path, spot)
    if words is None or start >= spot.column or line[start] in _OPENERS:
        return None
    value = _match_value(line, start, in_flow=True) if words is not _BRACKET_WORDS else _match_brackets(line, start)
    is_value = line[:start].rstrip().endswith(":") or line.rfind("[", 0, start) > line.rfind("{", 0, start)
    if words is _SIGN_IN_TEXT and line[spot.column] == ":" and not is_value:
        return None  # a key without a space behind its colon
    if words is _SIGN_IN_TEXT:
        recovery = _make_recovery(parts, path, Position(spot.line, start), _COMMENT.split(value)[0], words)
        return recovery and replace(recovery, is_valid=True)
    missing = _MISSING_COMMA.fullmatch(line, start, spot.column) if words is _COLON_WORDS else None
    if missing:
        words = (words[0], f'put a "," before "{missing["key"]}" if it is a key, or the whole value in quotes')
    return _make_recovery(parts, path, Position(spot.line, start), value, words)


def _recover_prose(parts: list[str], path: str, spot: Position) -> Recovery | None:
    """Recover a text in brackets with a variable, as in `{ say: Well, post {{ a }}, then: x }`."""
    line = parts[2 * spot.line]
    start = max((found.end() for found in _FLOW_VALUE.finditer(line, 0, spot.column)), default=-1)
    prose = _PROSE.match(line, start) if start >= 0 else None
    if prose is None or prose.end() <= spot.column:
        return None
    return _make_recovery(parts, path, Position(spot.line, start), prose[0].rstrip(), _COMMA_WORDS)


def recover_comma(text: str, path: str, row: int, column: int | None) -> Recovery | None:
    """Recover a value in brackets that its own comma cuts: `{ when: contains(a, 'b'), then: x }`.

    Args:
        text: the document.
        path: the name of the file in the problem.
        row: the line, from 0.
        column: a column in the value, from 0; None for the first such value of the line.
    """
    parts = split_with_breaks(text)
    line = parts[2 * row]
    for found in _FLOW_VALUE.finditer(line):
        value = _match_call(line, found.end())
        if value and (column is None or found.end() <= column <= found.end() + len(value)):
            return _make_recovery(parts, path, Position(row, found.end()), value, _COMMA_WORDS)
    return None


def recover_negation(text: str, path: str, spot: Position) -> Recovery | None:
    """Recover an expression that begins with "!", where YAML reads a tag."""
    parts = split_with_breaks(text)
    line = parts[2 * spot.line]
    key = _EXPRESSION_KEY.search(line, 0, spot.column)
    if key is None:
        return None
    value = _match_call(line, spot.column) or _match_value(line, spot.column, in_flow=_is_bracket_open(key[0]))
    recovery = _make_recovery(parts, path, spot, value, _NEGATION_WORDS)
    meant = f"!({value[1:]})"
    if recovery is None or not _NEGATED_PATH.fullmatch(value):
        return recovery
    fix = Fix(value, f'"{meant}"')
    return replace(recovery, value=meant, problem=replace(recovery.problem, help=f"write `{fix.new}`", fix=fix))


def recover_cut(text: str, path: str, row: int) -> Recovery | None:
    """Recover a text that a " #" cuts, on a line from 0, where that is wrong at once or shortly after."""
    parts = split_with_breaks(text)
    line = parts[2 * row]
    key = _KEY.match(line)
    for cut in _CUT.finditer(line):
        in_flow = _is_bracket_open(line[: cut.start()])
        starts = [found.end() for found in _FLOW_VALUE.finditer(line, 0, cut.start())] if in_flow else []
        start = max(starts, default=key.end() if key is not None and not in_flow else -1)
        if 0 <= start < cut.start() and line[start] not in _OPENERS:
            end = _find_flow_end(line, start) if in_flow else len(line)
            recovery = _make_recovery(parts, path, Position(row, start), line[start:end].rstrip(), _CUT_WORDS)
            if recovery is None or in_flow:
                return recovery
            return replace(recovery, problem=replace(recovery.problem, fix=None))  # it may go on below
    return None


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


_COMMA_WORDS = ("a comma ends a value between brackets, and this one goes on", _QUOTE_HELP)
_CUT_WORDS = ('the text ends at the "#", where a comment begins', _QUOTE_HELP)
_NEGATION_WORDS = ('a "!" at the beginning of a value makes a tag', _QUOTE_HELP)
_COLON_WORDS = ('": " inside a text would begin a mapping', _QUOTE_HELP)
_BRACKET_WORDS = ('a "[" in a text between brackets needs quotes', _QUOTE_HELP)
_SIGN_IN_TEXT = ('a "?" or ":" in a text between brackets needs quotes in YAML 1.1', _QUOTE_HELP)
_FLOW_WORDS = {
    ": ": _COLON_WORDS,
    "?": _SIGN_IN_TEXT,
    ":": _SIGN_IN_TEXT,
    "[": _BRACKET_WORDS,
}
_BLOCK_WORDS = ('the text after "|" or ">" must begin on the next line', "move it there")
_MISSING_COMMA = re.compile(r".*[^\s,:] +(?P<key>[a-z_]{1,40})")
"""A text that ends with a word, such as `part max` in `{ as: part max: 2 }`."""
_CUT = re.compile(r"[ \t]#[^\s#!]")
_CALL_QUOTES = "'\"`"
_CALL_BRACKETS = {"(": ")", "[": "]", "{": "}"}
_FLOW_VALUE = re.compile(r"""[{,]\s*+[\w-]++: ++(?=[^\s'"\[{&*|>])""")
_PROSE = re.compile(r"(?:\{\{[^{}]*+\}\}|[^,{}\]]|,(?!\s*[\w-]+:\s))++")
_EXPRESSION_KEY = re.compile(r"(?:^|.*[{\s])(?:when|from|in): +$")
_NEGATED_PATH = re.compile(r"![a-z_]\w*(?:\.\w+)+")
"""A path of which "!" would negate only the first name."""
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


def _match_call(line: str, start: int) -> str:
    """Match a value up to the comma or bracket behind its own; empty without a comma inside."""
    closers: list[str] = []
    has_comma = False
    at = start
    while at < len(line):
        char = line[at]
        if char in _CALL_QUOTES and (end := line.find(char, at + 1)) > 0 and not line[at - 1].isalnum():
            at = end
        elif char in _CALL_BRACKETS:
            closers.append(_CALL_BRACKETS[char])
        elif closers and char == closers[-1]:
            closers.pop()
        elif not closers and char in ",]}":
            break
        has_comma |= char == "," and bool(closers)
        at += 1
    return line[start:at].rstrip() if has_comma and not closers else ""


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
    return Recovery("".join(parts), spot, len(value), value, problem)


def _quote_value(value: str) -> str:
    plain = not any(char in value for char in '"\\')
    return f'"{value}"' if plain else "'{}'".format(value.replace("'", "''"))


def map_placeholders(recoveries: Iterable[Recovery]) -> dict[Position, Recovery]:
    """Map the position of each placeholder to what it stands for."""
    return {recovery.spot: recovery for recovery in recoveries}


def join_cut_values(nodes: Sequence[Node], lines: Sequence[str], report: Callable[[Problem], None]) -> list[Node]:
    """Join each value between braces with the keys without a colon behind it, which its comma cuts off.

    Args:
        nodes: the keys and values by turns.
        lines: the lines of the document.
        report: takes the problem of each.
    """
    kept: list[Node] = []
    joined: dict[int, Node] = {}
    for key, value in zip(nodes[::2], nodes[1::2], strict=True):
        if not kept or not _continues(kept[-1], key, value, lines[key.place.line - 1]):
            kept += (key, value)
            continue
        place = kept[-1].place._replace(end_column=key.place.end_column)
        text = lines[place.line - 1][place.column - 1 : place.end_column - 1]
        kept[-1] = joined[len(kept)] = Node("scalar", place, value=text, characters=len(text))
    for node in joined.values():
        fix = Fix(node.value, _quote_value(node.value))
        report(codes.SYNTAX.make_problem(node.place, _COMMA_WORDS[0], help=_COMMA_WORDS[1], fix=fix))
    return kept


def _continues(value: Node, key: Node, nothing: Node, line: str) -> bool:
    """Return whether a key without a colon is the rest of the value before it."""
    if value.style or not isinstance(value.value, str) or key.style or nothing.value is not None or nothing.style:
        return False
    has_colon = line[key.place.end_column - 1 :].lstrip().startswith(":")
    is_line = value.place.line == key.place.end_line == key.place.line
    return is_line and not has_colon and not (_WORD.fullmatch(value.value) and _WORD.fullmatch(str(key.value)))


_WORD = re.compile(r"[\w./-]+")
