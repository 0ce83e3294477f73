"""Facts of a document: its sections as definitions, and the names of code that they mention."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

from aurora.memory.model import MENTIONS, GraphDefinition, GraphFacts, ReferenceColumns

from .extract import make_file_definition
from .mentions import find_mentions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aurora.memory.model import Piece

_PATH_SEPARATOR = " > "


def extract_document_facts(path: str, language: str, lines: Sequence[str], pieces: Sequence[Piece]) -> GraphFacts:
    """Extract the sections and the mentions of a document.

    Args:
        path: project-relative.
        language: the document's language.
        lines: its lines.
        pieces: its pieces; the parts of a long section are one definition.
    """
    defs = [make_file_definition(path, len(lines))]
    starts, owners = [0], [0]
    positions: dict[str, int] = {}
    for piece in pieces:
        if piece.kind != "section" or not piece.symbol:
            continue
        if piece.symbol == defs[-1].symbol:
            defs[-1] = defs[-1]._replace(end=piece.end_line)
            continue
        before, _, name = piece.symbol.rpartition(_PATH_SEPARATOR)
        positions[piece.symbol] = len(defs)
        starts.append(piece.start_line)
        owners.append(len(defs))
        defs.append(
            GraphDefinition(piece.symbol, name, "section", piece.start_line, piece.end_line, positions.get(before, 0))
        )
    refs: dict[tuple[int, int, str, str], int] = {}
    for number, line in enumerate(lines, 1):
        if "`" in line:
            owner = owners[bisect_right(starts, number) - 1]
            for _at, whole in find_mentions(line.encode("utf-8", "replace")):
                before, _, name = whole.rpartition(".")
                refs.setdefault((owner, MENTIONS, name, f"on:{before}"), number)
    return GraphFacts(language, tuple(defs), ReferenceColumns.from_rows(refs, refs.values()))
