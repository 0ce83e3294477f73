"""One edit of a text: what stands at a place gives way to something else, written as the place demands."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .source import read_yaml

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .node import Node
    from .problems import Problem

_BREAK = re.compile("(\r\n|[\n\r\x85\u2028\u2029])")
_QUOTES = "'\""


@dataclass(frozen=True, slots=True)
class Edit:
    """`new` in place of `old`, at a line and a column that count from 1; the problem that asked for it."""

    path: str
    line: int
    column: int
    old: str
    new: str
    code: str
    name: str


def edit_of(text: str, problem: Problem) -> Edit | None:
    """The edit that mends the problem; None where the text does not say what the problem thought, or hides it."""
    lines = _BREAK.split(text)[::2]
    if problem.fix is None or problem.line > len(lines):
        return None
    line, old, column = lines[problem.line - 1], problem.fix.old, problem.column
    start = column - 1
    quote = line[start : start + 1]
    if not line.startswith(old, start) and quote and quote in _QUOTES and line.startswith(f"{old}{quote}", start + 1):
        column += 1
    elif not line.startswith(old, start):
        return None
    new = _written(problem.fix.new, _style(text, problem.line, column))
    return Edit(problem.path, problem.line, column, old, new, problem.code, problem.name)


def applied(text: str, edits: Sequence[Edit]) -> str:
    """The text after the edits, which do not overlap; every other character is as it was."""
    parts = _BREAK.split(text)
    for edit in sorted(edits, key=lambda one: (one.line, one.column), reverse=True):
        at, start = 2 * (edit.line - 1), edit.column - 1
        line = parts[at]
        parts[at] = f"{line[:start]}{edit.new}{line[start + len(edit.old) :]}"
    return "".join(parts)


def _written(new: str, style: str) -> str:
    """The text as it stands inside a scalar of this style."""
    if style == "'":
        return new.replace("'", "''")
    if style == '"':
        return new.replace("\\", "\\\\").replace('"', '\\"')
    return new


def _style(text: str, line: int, column: int) -> str:
    """The quotes around what stands at this place; a quote itself stands outside them."""
    root, _ = read_yaml(text, "")
    if root is None:
        return ""
    at = (line, column)
    for node in scalars(root):
        place = node.place
        if (place.line, place.column) < at < (place.end_line, place.end_column):
            return node.style
    return ""


def scalars(root: Node) -> Iterator[Node]:
    """Every scalar that stands in the document, keys too."""
    todo = [root]
    while todo:
        node = todo.pop()
        if node.kind == "scalar":
            yield node
        todo.extend(node.children)
        todo.extend(part for pair in node.items for part in pair)
