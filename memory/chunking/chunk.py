"""Cuts a file into pieces: definitions by its grammar, sections by its headings, windows where neither helps."""

from __future__ import annotations

from aurora.memory.files import PROSE_LANGUAGES
from aurora.memory.graph.extract import extract_document_facts, extract_facts
from aurora.memory.model import ChunkedFile, Piece
from aurora.memory.parsing import add_macro_names, build_outline, parse_macro_bodies, parse_source
from aurora.memory.parsing.languages import LANGUAGE_RULES

from .documents import chunk_document
from .plain_code import chunk_without_grammar
from .split import SourceTree, split_file
from .windows import chunk_text, split_lines

__all__ = ["ChunkedFile", "Piece", "chunk_file"]


def chunk_file(path: str, language: str, text: str) -> ChunkedFile:
    """The pieces of a file; a pure function that any process may run, and that no text makes raise.

    Every line that is not blank is in at least one piece. The same text gives the same pieces.

    Args:
        path: project-relative, with forward slashes.
        language: as `language_of` names it.
        text: the file's content.
    """
    lines = split_lines(text)
    if language in PROSE_LANGUAGES:
        pieces = chunk_document(lines, language)
        return ChunkedFile("know", pieces, parsed=True, graph=extract_document_facts(path, language, lines, pieces))
    if language not in LANGUAGE_RULES:
        return chunk_without_grammar(path, lines, language)
    # The grammar sees no carriage returns either: where it finds errors, that one byte moves what it makes of them.
    return _chunk_with_grammar(path, lines, language, "\n".join(lines) if "\r" in text else text)


def _chunk_with_grammar(path: str, lines: list[str], language: str, text: str) -> ChunkedFile:
    """The pieces by the grammar, and whether it found no error; windows where it gave up."""
    source, rules = text.encode("utf-8", "replace"), LANGUAGE_RULES[language]
    try:
        tree = parse_source(rules, source)
    except ImportError:  # a platform without that wheel: the file is still worth finding by its words
        tree = None
    if tree is None:
        return ChunkedFile("code", chunk_text(lines, language), parsed=False)
    root = tree.root_node
    found = build_outline(root, rules, source)
    pieces, parsed = split_file(SourceTree(language, rules, source, lines, root), found), not root.has_error
    if rules.macros and (opened := parse_macro_bodies(rules, source)) is not None:
        source, root = opened
        inner = build_outline(root, rules, source)
        pieces, found = add_macro_names(pieces, found.definitions, inner.definitions), inner
    graph = extract_facts(path, language, source, root, found.definitions)
    return ChunkedFile("code", pieces, parsed=parsed, graph=graph)
