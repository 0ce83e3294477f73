"""Chunking: definitions by grammar, sections by headings, windows of lines for everything else."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from aurora.memory import parsing
from aurora.memory.files import PROSE_LANGUAGES
from aurora.memory.graph import extract
from aurora.memory.model import ChunkedFile
from aurora.memory.parsing.languages import LANGUAGES, Language, load_language

from .documents import chunk_document
from .plain_code import chunk_without_grammar
from .split import SourceTree, split_file
from .windows import MAX_TEXT_LINES, chunk_text, split_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aurora.memory.model import Piece

MAX_PIECES = 5_000
"""Pieces of one file; 1 MB of `# h` lines would be 250,000 sections, and 170 MB of a database."""


def chunk_file(path: str, language: str, text: str, *, parses: bool = True) -> ChunkedFile:
    """Chunk a file; a pure function that any process may run, and that raises for no text.

    Every line that is not blank is in at least one piece. The same text gives the same pieces. A file with more than
    `MAX_PIECES` of them is divided into lines of text, as one that does not parse.

    Args:
        path: project-relative, with forward slashes.
        language: as `detect_language` names it.
        text: the file's content.
        parses: False for a text that its grammar's parser does not survive.
    """
    lines = split_lines(text)
    chunked = _chunk_by_structure(path, language, text, lines, parses=parses)
    if len(chunked.pieces) <= MAX_PIECES:
        return chunked
    pieces = _chunk_many_lines(lines, language)
    if language in PROSE_LANGUAGES or language in LANGUAGES:
        return ChunkedFile(chunked.type, pieces, parsed=False)
    return replace(chunked, pieces=pieces)


def _chunk_many_lines(lines: Sequence[str], language: str) -> tuple[Piece, ...]:
    """Split a file into at most `MAX_PIECES` windows; one may have half the lines of the longest."""
    return chunk_text(lines, language, max(MAX_TEXT_LINES, -(-2 * len(lines) // MAX_PIECES)))


def _chunk_by_structure(path: str, language: str, text: str, lines: list[str], *, parses: bool) -> ChunkedFile:
    """Chunk a file by its headings or its grammar, or by windows where it has none."""
    if language in PROSE_LANGUAGES:
        pieces = chunk_document(lines, language)
        graph = extract.extract_document_facts(path, language, lines, pieces)
        return ChunkedFile("know", pieces, parsed=True, graph=graph)
    if language not in LANGUAGES:
        return chunk_without_grammar(path, lines, language)
    if not parses:
        return ChunkedFile("code", chunk_text(lines, language), parsed=False)
    # The grammar gets no carriage returns either: near a syntax error that one byte changes the tree.
    source = "\n".join(lines) if "\r" in text else text
    return _chunk_with_grammar(path, lines, load_language(language), source.encode("utf-8", "replace"))


def _chunk_with_grammar(path: str, lines: list[str], language: Language, source: bytes) -> ChunkedFile:
    """Chunk a file by its grammar; by windows when the parser gave up."""
    try:
        tree = parsing.parse_source(language.grammar, source)
    except ImportError:  # a platform without that wheel: the file can still be found by its words
        tree = None
    if tree is None:
        return ChunkedFile("code", chunk_text(lines, language.name), parsed=False)
    root, rules = tree.root_node, language.outline
    outline = parsing.build_outline(root, rules, source)
    pieces, parsed = split_file(SourceTree(language, source, lines, root), outline), not root.has_error
    if rules.macros and (opened := parsing.parse_macro_bodies(language.grammar, source)) is not None:
        source, root = opened
        inner = parsing.build_outline(root, rules, source)
        pieces, outline = parsing.add_macro_names(pieces, outline.definitions, inner.definitions), inner
    graph = extract.extract_facts(path, language, source, root, outline.definitions)
    return ChunkedFile("code", pieces, parsed=parsed, graph=graph)
