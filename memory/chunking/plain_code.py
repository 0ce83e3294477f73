"""A file whose language has no grammar here: windows of lines, and in the graph what seems to be defined there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.memory.graph.extract.extract import module
from aurora.memory.model.pieces import Chunked
from aurora.memory.model.symbols import Def, Facts
from aurora.memory.parsing.languages.without_grammar import definitions

from .windows import text_pieces

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aurora.memory.parsing.languages.without_grammar import Line


def by_lines(path: str, lines: Sequence[str], language: str) -> Chunked:
    """The file in windows, and in the graph what looks like a definition.

    In the ranking such names cost more than they bring: the windows say them anyway.

    Args:
        path: project-relative.
        lines: the file's.
        language: one without a grammar.
    """
    found = list(definitions(lines, language))
    graph = _facts(path, lines, language, found) if found else None
    return Chunked("code", text_pieces(lines, language), parsed=True, graph=graph)


def _facts(path: str, lines: Sequence[str], language: str, found: Sequence[Line]) -> Facts:
    """Where a definition ends nobody can tell: it has the line that it begins with."""
    defs = [Def(line.name, line.name, line.kind, line.row + 1, line.row + 1, 0) for line in found]
    return Facts(language, (module(path, len(lines)), *defs))
