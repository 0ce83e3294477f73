"""Makes the pieces of a parsed file: its runs, the long ones cut between statements, with what each says of itself."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from aurora.memory.model import Piece
from aurora.memory.parsing import LONG_LINES, get_last_row

from .nesting import fold_definitions
from .ranges import RowRange, assign_ranges
from .signature import extract_doc, extract_module_doc, extract_signature
from .windows import MAX_CHARS, MAX_TEXT_LINES, split_windows

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tree_sitter import Node

    from aurora.memory.parsing import Outline
    from aurora.memory.parsing.languages import Rules

MAX_MODULE_LINES = 60
"""The size of a window of what stands between definitions."""


@dataclass(frozen=True, slots=True)
class SourceTree:
    """A file with its tree."""

    language: str
    rules: Rules
    source: bytes
    lines: Sequence[str]
    root: Node


def split_file(file: SourceTree, found: Outline) -> tuple[Piece, ...]:
    """The pieces of a parsed file and its outline; together they hold every line that is not blank."""
    kept, held = fold_definitions(found.definitions)
    imports = sorted(found.imports, key=itemgetter(0))
    cuts: dict[int, list[int]] = {}
    pieces: list[Piece] = []
    for run in assign_ranges(file.lines, kept, file.rules.line_comments):
        kind = run.owner.kind if run.owner is not None else "text" if file.root.has_error else "module"
        symbol, spans = _choose_symbol(run), _split_range(file, run, cuts)
        metadata = _build_metadata(file, run, symbol, held)
        for number, (start, end, text) in enumerate(spans, 1):
            if number > 1:  # what is said of the whole stands with the first
                metadata = {"parent": metadata["parent"]} if "parent" in metadata else {}
            if len(spans) > 1:
                metadata["part"] = f"{number}/{len(spans)}"
            if imports and (names := _list_imports(imports, start, end)):
                metadata["imports"] = names
            pieces.append(Piece(kind, symbol, start + 1, end + 1, text, file.language, metadata))
    return tuple(pieces)


def _split_range(file: SourceTree, run: RowRange, cuts: dict[int, list[int]]) -> Sequence[tuple[int, int, str]]:
    """The run in parts that are not too long, cut between statements, each with its text.

    `cuts` remembers where statements begin, by owner.
    """
    lines, start, end = file.lines, run.start, run.end
    text = "\n".join(lines[start : end + 1])
    size = LONG_LINES if run.owner is not None else MAX_TEXT_LINES if file.root.has_error else MAX_MODULE_LINES
    if end - start < size and len(text) - (end - start) <= MAX_CHARS:
        return ((start, end, text),)
    key = id(run.owner)
    if key not in cuts:
        cuts[key] = _find_statement_rows(run.owner.node if run.owner is not None else file.root)
    parts = split_windows(lines, start, end, size, cuts[key])
    return [(first, last, "\n".join(lines[first : last + 1])) for first, last in parts]


def _find_statement_rows(top: Node) -> list[int]:
    """The rows where a statement begins with the comments above it, at whatever depth lines are to be cut."""
    rows: set[int] = set()
    stack = [top]
    while stack:
        above = -1  # the first row of comments that belong to the next statement
        for child in stack.pop().named_children:
            row, end = child.start_point[0], get_last_row(child)
            above = row if above < 0 else above
            if "comment" in child.type:
                continue
            rows.add(above)
            above = -1
            if end - row >= MAX_TEXT_LINES:
                stack.append(child)
    return sorted(rows)


def _build_metadata(file: SourceTree, run: RowRange, symbol: str, held: Mapping[int, list[str]]) -> dict[str, Any]:
    """What is known of a run, each key only where there is something to say."""
    owner = run.owner
    if owner is None:
        doc = extract_module_doc(file.lines, run.start, run.end) if file.rules.docstring and not run.start else ""
        return {"doc": doc} if doc else {}
    known: dict[str, Any] = {"parent": owner.parent.symbol} if owner.parent is not None else {}
    if not run.first:
        return known
    if len(run.group) <= 1:
        if signature := extract_signature(file.source, owner):
            known["signature"] = signature
        if doc := extract_doc(file.lines, file.source, owner, docstring=file.rules.docstring):
            known["doc"] = doc
    defines = [each.symbol for each in run.group if each.symbol != symbol]
    for each in run.group or (owner,):
        defines += each.more
        defines += held.get(id(each), ())
    if defines:
        known["defines"] = list(dict.fromkeys(defines))
    return known


def _choose_symbol(run: RowRange) -> str:
    """What the run is called: a group of several names has that of its holder."""
    if run.owner is None:
        return ""
    if all(each.symbol == run.owner.symbol for each in run.group[1:]):
        return run.owner.symbol
    return run.owner.parent.symbol if run.owner.parent is not None else ""


def _list_imports(imports: Sequence[tuple[int, str]], start: int, end: int) -> list[str]:
    """The modules that rows `start..end` import, each once; `imports` is sorted by row."""
    if start > imports[-1][0]:
        return []
    low, high = bisect_left(imports, (start, "")), bisect_left(imports, (end + 1, ""))
    return list(dict.fromkeys(name for _row, name in imports[low:high]))
