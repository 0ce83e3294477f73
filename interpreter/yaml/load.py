"""YAML text as a tree of nodes, and edits of the text at their places."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from aurora.errors import check_cancelled
from aurora.interpreter.problems import (
    MAX_BYTES,
    Place,
    codes,
    limit_suggestions,
    split_lines,
    split_with_breaks,
    split_yaml_lines,
)

from .builder import RecoverableYamlError, TreeBuilder
from .node import MAX_DIRECTIVES, MAX_READ_PROBLEMS, MAX_REREAD_CHARACTERS, MAX_REREAD_NODES, InvalidYamlError
from .unquoted_values import map_placeholders

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from aurora.interpreter.problems import Problem

    from .node import Node
    from .unquoted_values import Recovery

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
    # From the end, so that no edit moves the place of another.
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


def read_yaml(text: bytes | str, path: str) -> tuple[Node | None, tuple[Problem, ...]]:
    """Read the document's tree and its problems.

    After an error such as a duplicate key there is still a tree, with what was most likely meant, to inspect and not to
    run. Otherwise the tree is None, and at least one problem is an error.

    Args:
        text: the file's content; bytes must be UTF-8 (a byte order mark is allowed).
        path: the name of the file in problems.
    """
    if len(text) > MAX_BYTES:
        return None, (
            codes.TOO_BIG.make_problem(Place(path, 1, 1, 1, 2), f"the file is larger than {MAX_BYTES:,} bytes"),
        )
    if isinstance(text, bytes) and (reason := _detect_encoding(text)):
        return None, (codes.ENCODING.make_problem(Place(path, 1, 1, 1, 2), reason, help="save the file as UTF-8"),)
    try:
        decoded = text if isinstance(text, str) else text.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return None, (make_encoding_problem(error, path),)
    with limit_suggestions():
        return _read_document(decoded, path)


def _read_document(text: str, path: str) -> tuple[Node | None, tuple[Problem, ...]]:
    if text.count("\n%") > MAX_DIRECTIVES:
        message = f'more than {MAX_DIRECTIVES} lines begin with "%"'
        return None, (codes.TOO_BIG.make_problem(Place(path, 1, 1, 1, 2), message, help="a workflow needs none"),)
    recovered: list[Recovery] = []
    nodes_read = 0
    while True:
        check_cancelled()
        reader = TreeBuilder(path, recovered[-1].text if recovered else text, map_placeholders(recovered))
        recovered_problems = tuple(recovery.problem for recovery in recovered if not recovery.is_valid)
        try:
            root = reader.build()
        except RecoverableYamlError as stopped:
            nodes_read += reader.node_count
            if _is_reread_too_long(text, len(recovered), nodes_read):
                last = stopped.recovery.problem
                place = Place(path, last.line, last.column, last.line, last.end_column)
                message = f"{len(recovered)} values up to here need quotes; the rest of the file is not read"
                unread = codes.TOO_BIG.make_problem(place, message, help="fix these first")
                return None, (*recovered_problems, *reader.problems, last, unread)
            recovered.append(stopped.recovery)
            continue
        except InvalidYamlError as refused:
            last = refused.problem
            before = (
                recovery for recovery in reader.problems if (recovery.line, recovery.column) != (last.line, last.column)
            )
            return None, (*recovered_problems, *before, last)
        return (None if reader.is_unusable else root), (*recovered_problems, *reader.problems)


def _is_reread_too_long(text: str, rounds: int, nodes_read: int) -> bool:
    """Check that reading the text once more would exceed a limit."""
    # Each value without quotes makes the file be read from its
    # start once more: time with the square of its length.
    return rounds >= MAX_READ_PROBLEMS or len(text) * rounds > MAX_REREAD_CHARACTERS or nodes_read > MAX_REREAD_NODES


def _detect_encoding(data: bytes) -> str:
    """Detect UTF-16 and UTF-32 by the first bytes; empty if it is neither."""
    if data.startswith((b"\xff\xfe\0\0", b"\0\0\xfe\xff")):
        return "the file is UTF-32, not UTF-8"
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "the file is UTF-16, not UTF-8"
    # Without a byte order mark, too: every other byte of English text is a NUL then.
    nulls = data[:4].count(0)
    return "the file is UTF-16 or UTF-32, not UTF-8" if nulls > 1 else ""


def make_encoding_problem(error: UnicodeDecodeError, path: str) -> Problem:
    """Create the problem of a file that is not UTF-8, at its first wrong byte."""
    data = error.object
    before = split_lines(path, data[: error.start].decode("utf-8-sig", errors="replace"))
    line, column = len(before), len(before[-1]) + 1
    message = _detect_encoding(data) or f"byte 0x{data[error.start]:02x} is not UTF-8"
    return codes.ENCODING.make_problem(
        Place(path, line, column, line, column + 1), message, help="save the file as UTF-8"
    )
