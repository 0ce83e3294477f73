"""Chunking of code without a grammar: windows of lines, and definitions guessed line by line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.memory.graph import extract
from aurora.memory.model import ChunkedFile, GraphDefinition, GraphFacts
from aurora.memory.parsing.languages import find_definitions

from .windows import chunk_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aurora.memory.parsing.languages import LineDefinition


def chunk_without_grammar(path: str, lines: Sequence[str], language: str) -> ChunkedFile:
    """Split a file into windows, and put the likely definitions into the graph only.

    As symbols of chunks such names make the ranking worse: the windows contain them anyway.

    Args:
        path: project-relative.
        lines: the file's lines.
        language: a language without a grammar.
    """
    found = list(find_definitions(lines, language))
    graph = _build_facts(path, lines, language, found) if found else None
    return ChunkedFile("code", chunk_text(lines, language), parsed=True, graph=graph)


def _build_facts(path: str, lines: Sequence[str], language: str, found: Sequence[LineDefinition]) -> GraphFacts:
    """Make definitions of one line each: the end of a definition is unknown."""
    defs = [GraphDefinition(line.name, line.name, line.kind, line.row + 1, line.row + 1, 0) for line in found]
    return GraphFacts(language, (extract.make_file_definition(path, len(lines)), *defs))
