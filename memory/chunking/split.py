"""Pieces of a parsed file, each with its metadata.

There is one per definition; long ones are split between statements.
"""

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

    from aurora.memory.parsing import Definition, Outline
    from aurora.memory.parsing.languages import Language

MAX_MODULE_LINES = 60
"""The rows of a window of code between definitions."""


@dataclass(frozen=True, slots=True)
class SourceTree:
    """A file with its syntax tree."""

    language: Language
    source: bytes
    lines: Sequence[str]
    root: Node


def split_file(file: SourceTree, outline: Outline) -> tuple[Piece, ...]:
    """Split a parsed file into pieces; together they contain every line that is not blank."""
    kept, folded = fold_definitions(outline.definitions)
    imports = sorted(outline.imports, key=itemgetter(0))
    cuts: dict[int, list[int]] = {}
    pieces: list[Piece] = []
    for rows in assign_ranges(file.lines, kept, file.language.outline.line_comments):
        pieces += _make_pieces(file, rows, folded, imports, cuts)
    return tuple(pieces)


def _make_pieces(
    file: SourceTree,
    rows: RowRange,
    folded: Mapping[int, list[str]],
    imports: Sequence[tuple[int, str]],
    cuts: dict[int, list[int]],
) -> list[Piece]:
    """Make the pieces of a range; all metadata but the parent goes to the first."""
    kind = _choose_kind(file, rows)
    symbol, spans = _choose_symbol(rows), _split_range(file, rows, cuts)
    metadata = _build_metadata(file, rows, symbol, folded)
    pieces: list[Piece] = []
    for number, (start, end, text) in enumerate(spans, 1):
        if number > 1:
            metadata = {"parent": metadata["parent"]} if "parent" in metadata else {}
        if len(spans) > 1:
            metadata["part"] = f"{number}/{len(spans)}"
        if imports and (names := _list_imports(imports, start, end)):
            metadata["imports"] = names
        pieces.append(Piece(kind, symbol, start + 1, end + 1, text, file.language.name, metadata))
    return pieces


def _choose_kind(file: SourceTree, rows: RowRange) -> str:
    if rows.owner is not None:
        return rows.owner.kind
    return "text" if file.root.has_error else "module"


def _split_range(file: SourceTree, rows: RowRange, cuts: dict[int, list[int]]) -> Sequence[tuple[int, int, str]]:
    """Split a long range between statements, each part with its text.

    `cuts` caches where statements begin, by owner.
    """
    lines, start, end = file.lines, rows.start, rows.end
    text = "\n".join(lines[start : end + 1])
    unowned = MAX_TEXT_LINES if file.root.has_error else MAX_MODULE_LINES
    size = unowned if rows.owner is None else LONG_LINES
    if end - start < size and len(text) - (end - start) <= MAX_CHARS:
        return ((start, end, text),)
    key = id(rows.owner)
    if key not in cuts:
        cuts[key] = _find_statement_rows(rows.owner.node if rows.owner is not None else file.root)
    parts = split_windows(lines, start, end, size, cuts[key])
    return [(first, last, "\n".join(lines[first : last + 1])) for first, last in parts]


def _find_statement_rows(top: Node) -> list[int]:
    """Find the rows where a statement begins with the comments above it, at any depth of a long node."""
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


def _build_metadata(file: SourceTree, rows: RowRange, symbol: str, folded: Mapping[int, list[str]]) -> dict[str, Any]:
    """Build the metadata of a range, without empty values."""
    owner, docstring = rows.owner, file.language.outline.docstring
    if owner is None:
        doc = extract_module_doc(file.lines, rows.start, rows.end) if docstring and not rows.start else ""
        return {"doc": doc} if doc else {}
    metadata: dict[str, Any] = {"parent": owner.parent.symbol} if owner.parent is not None else {}
    if not rows.first:
        return metadata
    if len(rows.group) <= 1:
        if signature := extract_signature(file.source, owner):
            metadata["signature"] = signature
        if doc := extract_doc(file.lines, file.source, owner, docstring=docstring):
            metadata["doc"] = doc
    if defines := _list_defined(rows.group, owner, symbol, folded):
        metadata["defines"] = defines
    return metadata


def _list_defined(
    group: Sequence[Definition], owner: Definition, symbol: str, folded: Mapping[int, list[str]]
) -> list[str]:
    """List the symbols that a range defines besides its own, each once."""
    defines = [each.symbol for each in group if each.symbol != symbol]
    for each in group or [owner]:
        defines += [*each.more, *folded.get(id(each), ())]
    return list(dict.fromkeys(defines))


def _choose_symbol(rows: RowRange) -> str:
    """Choose the symbol of a range: a group of several names has that of its parent."""
    if rows.owner is None:
        return ""
    if all(each.symbol == rows.owner.symbol for each in rows.group[1:]):
        return rows.owner.symbol
    return rows.owner.parent.symbol if rows.owner.parent is not None else ""


def _list_imports(imports: Sequence[tuple[int, str]], start: int, end: int) -> list[str]:
    """List the modules that rows `start..end` import, each once; `imports` is sorted by row."""
    if start > imports[-1][0]:
        return []
    low, high = bisect_left(imports, (start, "")), bisect_left(imports, (end + 1, ""))
    return list(dict.fromkeys(name for _row, name in imports[low:high]))
