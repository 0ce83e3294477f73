"""A file whose language has no grammar here: windows of lines, and in the graph what seems to be defined there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.memory.graph.extract import make_file_definition
from aurora.memory.model import ChunkedFile, GraphDefinition, GraphFacts
from aurora.memory.parsing.languages import find_definitions

from .windows import chunk_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aurora.memory.parsing.languages import LineDefinition


def chunk_without_grammar(path: str, lines: Sequence[str], language: str) -> ChunkedFile:
    """The file in windows, and in the graph what looks like a definition.

    In the ranking such names cost more than they bring: the windows say them anyway.

    Args:
        path: project-relative.
        lines: the file's.
        language: one without a grammar.
    """
    found = list(find_definitions(lines, language))
    graph = _build_facts(path, lines, language, found) if found else None
    return ChunkedFile("code", chunk_text(lines, language), parsed=True, graph=graph)


def _build_facts(path: str, lines: Sequence[str], language: str, found: Sequence[LineDefinition]) -> GraphFacts:
    """Where a definition ends nobody can tell: it has the line that it begins with."""
    defs = [GraphDefinition(line.name, line.name, line.kind, line.row + 1, line.row + 1, 0) for line in found]
    return GraphFacts(language, (make_file_definition(path, len(lines)), *defs))
