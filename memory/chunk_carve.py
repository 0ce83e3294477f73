"""Makes the pieces of a parsed file: its runs, the long ones cut between statements, with what each says of itself."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from .chunk_about import doc_of, module_doc, signature_of
from .chunk_fold import fold
from .chunk_outline import LONG, last_row
from .chunk_piece import Piece
from .chunk_runs import Run, runs_of
from .chunk_window import MAX_CHARS, TEXT_LINES, windows

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tree_sitter import Node

    from .chunk_outline import Outline
    from .lang_rules import Rules

MODULE_LINES = 60
"""The size of a window of what stands between definitions."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """A file with its tree."""

    language: str
    rules: Rules
    source: bytes
    lines: Sequence[str]
    root: Node


def carve(file: Parsed, found: Outline) -> tuple[Piece, ...]:
    """The pieces of a parsed file and its outline; together they hold every line that is not blank."""
    kept, held = fold(found.definitions)
    imports = sorted(found.imports, key=itemgetter(0))
    cuts: dict[int, list[int]] = {}
    pieces: list[Piece] = []
    for run in runs_of(file.lines, kept, file.rules.line_comments):
        about = _about(file, run, held)
        for piece in _pieces(file, run, about, _spans(file, run, cuts)):
            names = _imported(imports, piece.start_line - 1, piece.end_line - 1)
            pieces.append(replace(piece, metadata={**piece.metadata, "imports": names}) if names else piece)
    return tuple(pieces)


def _spans(file: Parsed, run: Run, cuts: dict[int, list[int]]) -> list[tuple[int, int]]:
    """The run in parts that are not too long, cut between statements; `cuts` remembers them by owner."""
    size = LONG if run.owner is not None else TEXT_LINES if file.root.has_error else MODULE_LINES
    if run.end - run.start < size and sum(map(len, file.lines[run.start : run.end + 1])) <= MAX_CHARS:
        return [(run.start, run.end)]
    key = id(run.owner)
    if key not in cuts:
        cuts[key] = _statement_rows(run.owner.node if run.owner is not None else file.root)
    return windows(file.lines, run.start, run.end, size, cuts[key])


def _statement_rows(top: Node) -> list[int]:
    """The rows where a statement begins with the comments above it, at whatever depth lines are to be cut."""
    rows: set[int] = set()
    stack = [top]
    while stack:
        above = -1  # the first row of comments that belong to the next statement
        for child in stack.pop().named_children:
            row, end = child.start_point[0], last_row(child)
            above = row if above < 0 else above
            if "comment" in child.type:
                continue
            rows.add(above)
            above = -1
            if end - row >= TEXT_LINES:
                stack.append(child)
    return sorted(rows)


def _pieces(file: Parsed, run: Run, about: Mapping[str, Any], spans: Sequence[tuple[int, int]]) -> Iterator[Piece]:
    """The parts of a run as pieces; what is said of the whole stands with the first."""
    kind = run.owner.kind if run.owner is not None else "text" if file.root.has_error else "module"
    symbol = _symbol(run)
    for number, (start, end) in enumerate(spans, 1):
        metadata = dict(about) if number == 1 else {key: about[key] for key in ("parent",) if key in about}
        if len(spans) > 1:
            metadata["part"] = f"{number}/{len(spans)}"
        text = "\n".join(file.lines[start : end + 1])
        yield Piece(kind, symbol, start + 1, end + 1, text, file.language, metadata)


def _about(file: Parsed, run: Run, held: Mapping[int, list[str]]) -> dict[str, Any]:
    """What is known of a run, each key only where there is something to say."""
    owner = run.owner
    if owner is None:
        said = {"doc": module_doc(file.lines, run.start, run.end)} if file.rules.docstring and not run.start else {}
        return {key: value for key, value in said.items() if value}
    said = {"parent": owner.parent.symbol if owner.parent is not None else ""}
    defines: list[str] = []
    if run.first and len(run.group) <= 1:
        said["signature"] = signature_of(file.source, owner)
        said["doc"] = doc_of(file.lines, file.source, owner, docstring=file.rules.docstring)
    if run.first:
        defines = [each.symbol for each in run.group if each.symbol != _symbol(run)]
        defines += [name for each in run.group or [owner] for name in (*each.more, *held.get(id(each), ()))]
    known: dict[str, Any] = {key: value for key, value in said.items() if value}
    return known | {"defines": list(dict.fromkeys(defines))} if defines else known


def _symbol(run: Run) -> str:
    """What the run is called: a group of several names has that of its holder."""
    if run.owner is None:
        return ""
    if all(each.symbol == run.owner.symbol for each in run.group):
        return run.owner.symbol
    return run.owner.parent.symbol if run.owner.parent is not None else ""


def _imported(imports: Sequence[tuple[int, str]], start: int, end: int) -> list[str]:
    """The modules that rows `start..end` import, each once; `imports` is sorted by row."""
    low, high = bisect_left(imports, (start, "")), bisect_left(imports, (end + 1, ""))
    return list(dict.fromkeys(name for _row, name in imports[low:high]))
