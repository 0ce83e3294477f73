"""A document's part in the graph: its sections, and the names of code that they mention."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

from aurora.memory.model.symbols import MENTIONS, Def, Facts, Refs

from .extract import module
from .mentions import spans

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aurora.memory.model.pieces import Piece

_BETWEEN = " > "


def facts(path: str, language: str, lines: Sequence[str], pieces: Sequence[Piece]) -> Facts:
    """The sections of a document as definitions, and its mentions.

    Args:
        path: project-relative.
        language: the document's.
        lines: its lines.
        pieces: what it was cut into; the parts of a long section are one definition.
    """
    defs = [module(path, len(lines))]
    starts, owners = [0], [0]
    held: dict[str, int] = {}
    for piece in pieces:
        if piece.kind != "section" or not piece.symbol:
            continue
        if piece.symbol == defs[-1].symbol:
            defs[-1] = defs[-1]._replace(end=piece.end_line)
            continue
        before, _, name = piece.symbol.rpartition(_BETWEEN)
        held[piece.symbol] = len(defs)
        starts.append(piece.start_line)
        owners.append(len(defs))
        defs.append(Def(piece.symbol, name, "section", piece.start_line, piece.end_line, held.get(before, 0)))
    refs: dict[tuple[int, int, str, str], int] = {}
    for number, line in enumerate(lines, 1):
        if "`" in line:
            owner = owners[bisect_right(starts, number) - 1]
            for _at, whole in spans(line.encode("utf-8", "replace")):
                before, _, name = whole.rpartition(".")
                refs.setdefault((owner, MENTIONS, name, f"on:{before}"), number)
    return Facts(language, tuple(defs), Refs.of(refs, refs.values()))
