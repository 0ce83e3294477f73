"""Traps of YAML: what a person writes and the reader takes for something else, without an error."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from aurora.interpreter.problems import codes

from .node import to_key_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aurora.interpreter.problems import Place, Problem

    from .node import Node

SUSPECT = re.compile(
    r"[ \t]\#[^\s\#!]"  # a comment without a space, which may be the rest of a text
    r"|[\s,\[](?:[-+]?0[0-9_]|0[xo]|[-+]?[0-9]++(?:_|[eE][0-9]|\.[0-9]*+(?:[eE][0-9]|(?<=0)(?=[\s,\]}]))))|[\s,\[]\.[0-9]+[eE]",
    re.VERBOSE,
)
"""What a document with a trap contains; most documents do not."""

_CUT = re.compile(r"[ \t]+(#)[^\s#!]")
_NAMES = frozenset(
    {"after", "aliases", "as", "aurora", "context", "else", "extends", "format", "name", "next_action", "on_decline"}
) | {"on_error", "pace", "required", "returns", "start", "then", "type", "uses", "version", "workflow"}
"""Keys whose values are names and not texts, so that a comment behind one cuts nothing."""
_CHOICE_KEYS = frozenset({"const", "enum"})
_ODD_NUMBER = re.compile(r"[-+]?0[0-9]+|0[xo]\w+|[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)[eE][0-9]+")
"""Numbers that are shown in another way than they are written."""
_PADDED_NUMBER = re.compile(r"[-+]?[0-9]+\.[0-9]*0")
"""A version such as 1.10; it is a number like any other where nothing is chosen by it."""
_GROUPED_NUMBER = re.compile(r"[-+]?[0-9]+(?:_[0-9]+)+(?:\.[0-9_]+)?")
_MAX_DIGITS = 20


class _Written(NamedTuple):
    """A plain scalar as it is written, and the key under which it is."""

    node: Node
    key: str
    line: str

    @property
    def text(self) -> str:
        """The characters of the scalar in its line."""
        return self.line[self.node.place.column - 1 : self.node.place.end_column - 1]


def find_traps(root: Node, lines: Sequence[str]) -> Iterator[Problem]:
    """Find texts that a comment cuts, and numbers that are shown in another way than they are written."""
    for written in _iterate_plain(root, lines):
        if isinstance(written.node.value, str):
            yield from _check_cut(written)
        yield from _check_number(written)


def find_cut_quote(root: Node, lines: Sequence[str]) -> Place | None:
    """Find the first text that a comment cuts inside of its own quotes or brackets, or before a variable."""
    for node, _, line in _iterate_plain(root, lines):
        cut = _CUT.match(line, node.place.end_column - 1) if isinstance(node.value, str) else None
        if cut is not None and (_is_open(node.value) or "{{" in line[cut.start() :]):
            return node.place
    return None


def _is_open(text: str) -> bool:
    """Return whether a quote or a bracket of an expression or a template is open at the end of the text."""
    if text.count("(") > text.count(")") or text.count("{{") > text.count("}}") or text.count("`") % 2 == 1:
        return True
    # The apostrophe of `don't` opens nothing.
    return len(re.findall(r"(?<!\w)'|'(?!\w)", text)) % 2 == 1


def _iterate_plain(root: Node, lines: Sequence[str]) -> Iterator[_Written]:
    """Iterate over the values that are written plainly, and end on the line on which they begin."""
    waiting = [("", root)]
    while waiting:
        key, node = waiting.pop()
        if node.kind == "map":
            waiting += [(to_key_text(name.value), value) for name, value in node.items]
        elif node.kind == "list":
            waiting += [(key, child) for child in node.children]
        elif not node.style and node.indent is None and node.place.line <= len(lines):
            yield _Written(node, key, lines[node.place.end_line - 1])


def _check_cut(written: _Written) -> Iterator[Problem]:
    node = written.node
    found = _CUT.match(written.line, node.place.end_column - 1)
    if found is None or written.key in _NAMES:
        return
    row, column = node.place.end_line, found.start(1) + 1
    place = node.place._replace(line=row, column=column, end_line=row, end_column=len(written.line.rstrip()) + 1)
    message = 'the text ends before this "#", where a comment begins'
    help_ = "put the whole text in quotes; or a space after the #, if it is a comment"
    yield codes.CUT_TEXT.make_problem(place, message, help=help_)


def _check_number(written: _Written) -> Iterator[Problem]:
    node, text = written.node, written.text
    if node.place.line != node.place.end_line or len(text) > _MAX_DIGITS:
        return
    if _GROUPED_NUMBER.fullmatch(text):
        number = text.replace("_", "")
        message = f"{text} is a text and not a number"
        help_ = f'write {number}, or "{text}" in quotes if a text is meant'
        yield codes.ODD_NUMBER.make_problem(node.place, message, help=help_)
    elif not isinstance(node.value, str) and (
        _ODD_NUMBER.fullmatch(text) or (written.key in _CHOICE_KEYS and _PADDED_NUMBER.fullmatch(text))
    ):
        value = node.value
        shown = str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
        message, help_ = f"{text} is the number {shown}", f'write "{text}" in quotes if a text is meant, else {shown}'
        yield codes.ODD_NUMBER.make_problem(node.place, message, help=help_)
