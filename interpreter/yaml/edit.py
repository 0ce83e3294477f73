"""Text edits of a YAML document that keep every other character."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from aurora.interpreter.problems import split_with_breaks, split_yaml_lines

from .load import read_yaml

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from aurora.interpreter.problems import Problem

    from .node import Node

_QUOTES = "'\""


@dataclass(frozen=True, slots=True)
class Edit:
    """One edit: `new` replaces `old` at a line and a column, from 1; its problem."""

    path: str
    line: int
    column: int
    old: str
    new: str
    code: str
    name: str


def plan_edits(text: str, problems: Iterable[Problem]) -> Iterator[Edit]:
    """Yield the edits that fix these problems, at most one per place.

    Problems without a fix are skipped, and those whose text has changed.
    """
    taken: set[tuple[int, int]] = set()
    for found in plan_edit_by_problem(text, problems).values():
        if (found.line, found.column) not in taken:
            taken.add((found.line, found.column))
            yield found


def plan_edit_by_problem(text: str, problems: Iterable[Problem]) -> dict[Problem, Edit]:
    """Map each problem that has an edit to it; two edits can share a place."""
    lines, quotes = split_yaml_lines(text), _ScalarStyles(text)
    found = ((problem, _plan_edit(lines, quotes, problem)) for problem in problems)
    return {problem: edit for problem, edit in found if edit is not None}


def _plan_edit(lines: Sequence[str], quotes: _ScalarStyles, problem: Problem) -> Edit | None:
    if problem.fix is None or problem.line > len(lines):
        return None
    line, old, column = lines[problem.line - 1], problem.fix.old, problem.column
    start = column - 1
    quote = line[start : start + 1]
    if not line.startswith(old, start):
        # the place of a quoted text starts at the quote
        if not quote or quote not in _QUOTES or not line.startswith(f"{old}{quote}", start + 1):
            return None
        column += 1
    new = _escape_for_style(problem.fix.new, quotes.find_style(problem.line, column))
    return Edit(problem.path, problem.line, column, old, new, problem.code, problem.name)


def apply_edits(text: str, edits: Sequence[Edit]) -> str:
    """Apply edits that do not overlap; every other character stays."""
    parts = split_with_breaks(text)
    for edit in sorted(edits, key=lambda edit: (edit.line, edit.column), reverse=True):
        at, start = 2 * (edit.line - 1), edit.column - 1
        line = parts[at]
        parts[at] = f"{line[:start]}{edit.new}{line[start + len(edit.old) :]}"
    return "".join(parts)


def _escape_for_style(new: str, style: str) -> str:
    """Escape the text for a scalar of this style."""
    if style == "'":
        return new.replace("'", "''")
    if style == '"':
        return new.replace("\\", "\\\\").replace('"', '\\"')
    return new


class _ScalarStyles:
    """The quoting styles of a text's scalars, read once on demand."""

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def _scalar_spans(self) -> list[tuple[tuple[int, int], tuple[int, int], str]]:
        root, _ = read_yaml(self._text, "")
        places = ((node.place, node.style) for node in iterate_scalars(root)) if root is not None else ()
        return sorted(((at.line, at.column), (at.end_line, at.end_column), style) for at, style in places)

    def find_style(self, line: int, column: int) -> str:
        """Return the style of the scalar around this place; the quotes are outside of it."""
        at = (line, column)
        before = bisect_left(self._scalar_spans, at, key=lambda span: span[0]) - 1
        if before < 0:
            return ""
        _, end, style = self._scalar_spans[before]
        return style if at < end else ""


def iterate_scalars(root: Node) -> Iterator[Node]:
    """Yield every scalar of the document, including keys."""
    todo = [root]
    while todo:
        node = todo.pop()
        if node.kind == "scalar":
            yield node
        todo.extend(node.children)
        todo.extend(part for pair in node.items for part in pair)
