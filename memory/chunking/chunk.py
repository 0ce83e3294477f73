"""Cuts a file into pieces: definitions by its grammar, sections by its headings, windows where neither helps."""

from __future__ import annotations

from aurora.memory.files.language import PROSE
from aurora.memory.graph.extract.documents import facts
from aurora.memory.graph.extract.extract import references
from aurora.memory.model.pieces import Chunked, Piece
from aurora.memory.parsing.grammar import parse
from aurora.memory.parsing.languages.registry import RULES
from aurora.memory.parsing.macros import parse_opened, with_names
from aurora.memory.parsing.outline import outline

from .documents import sections
from .plain_code import by_lines
from .split import Parsed, carve
from .windows import lines_of, text_pieces

__all__ = ["Chunked", "Piece", "chunk"]


def chunk(path: str, language: str, text: str) -> Chunked:
    """The pieces of a file; a pure function that any process may run, and that no text makes raise.

    Every line that is not blank is in at least one piece. The same text gives the same pieces.

    Args:
        path: project-relative, with forward slashes.
        language: as `language_of` names it.
        text: the file's content.
    """
    lines = lines_of(text)
    if language in PROSE:
        pieces = sections(lines, language)
        return Chunked("know", pieces, parsed=True, graph=facts(path, language, lines, pieces))
    if language not in RULES:
        return by_lines(path, lines, language)
    # The grammar sees no carriage returns either: where it finds errors, that one byte moves what it makes of them.
    return _parsed(path, lines, language, "\n".join(lines) if "\r" in text else text)


def _parsed(path: str, lines: list[str], language: str, text: str) -> Chunked:
    """The pieces by the grammar, and whether it found no error; windows where it gave up."""
    source, rules = text.encode("utf-8", "replace"), RULES[language]
    try:
        tree = parse(rules, source)
    except ImportError:  # a platform without that wheel: the file is still worth finding by its words
        tree = None
    if tree is None:
        return Chunked("code", text_pieces(lines, language), parsed=False)
    root = tree.root_node
    found = outline(root, rules, source)
    pieces, parsed = carve(Parsed(language, rules, source, lines, root), found), not root.has_error
    if rules.macros and (opened := parse_opened(rules, source)) is not None:
        source, root = opened
        inner = outline(root, rules, source)
        pieces, found = with_names(pieces, found.definitions, inner.definitions), inner
    graph = references(path, language, source, root, found.definitions)
    return Chunked("code", pieces, parsed=parsed, graph=graph)
