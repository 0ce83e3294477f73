"""Tree-sitter parsing: grammars loaded when first needed, with a limit of work for each source."""

from __future__ import annotations

import importlib
import re
from bisect import bisect_left
from functools import cache
from typing import TYPE_CHECKING, Literal

import tree_sitter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aurora.memory.parsing.languages import Grammar

MAX_BYTES = 4 << 20
"""A larger file is not parsed."""

_BLOCK_BYTES = 1 << 14
_MIN_READS = 400
_READS_PER_BLOCK = 8
"""The parser reads a block again when it goes back; real code has about two reads of a block. An unclosed here-document
of a shell script is read to the end of the file and given up, and thousands of them take minutes."""

_MIN_CALLBACKS = 2_000
_BYTES_PER_CALLBACK = 12
"""The parser calls back once in 100 of its steps. Real code has about 190 bytes between two callbacks, and the most
broken text that was measured about 20; fewer than this means an endless loop. A limit in steps, not in seconds, gives
the same text the same chunks on a slow machine."""

_VERBATIM = re.compile("string|heredoc|regex|text")
"""Types of nodes in which white space counts."""

_DIRECTIVE = re.compile(rb"#!|//[a-z]+:\w")
"""Beginning of a comment that a program reads: `#!/bin/bash`, `//go:build`."""


@cache
def load_grammar(grammar: Grammar) -> tree_sitter.Language:
    """Load a grammar, once in a process.

    Raises:
        ImportError: when its package is not installed.
    """
    package = importlib.import_module(grammar.package)
    return tree_sitter.Language(getattr(package, grammar.function)())


def parse_source(grammar: Grammar, source: bytes) -> tree_sitter.Tree | None:
    """Parse a source; return None when the parser gave up or the source is too large.

    A tree may contain errors: read `root_node.has_error`.

    Raises:
        ImportError: when the grammar's package is not installed.
    """
    if len(source) > MAX_BYTES:
        return None
    left = _MIN_CALLBACKS + len(source) // _BYTES_PER_CALLBACK
    reads = _MIN_READS + _READS_PER_BLOCK * (len(source) // _BLOCK_BYTES)

    def read_block(offset: int, _point: object) -> bytes:
        nonlocal reads
        reads -= 1
        if reads < 0:
            return b""  # the end of the source: the parser comes to its next callback
        return source[offset : offset + _BLOCK_BYTES]

    def is_over_budget(_offset: int, _has_error: bool) -> bool:  # noqa: FBT001 - the parser's own signature
        nonlocal left
        left -= 1
        return left < 0 or reads < 0

    try:
        tree = tree_sitter.Parser(load_grammar(grammar)).parse(read_block, progress_callback=is_over_budget)
    except ValueError:  # the parser raises nothing else when a callback stops it
        return None
    return tree if reads >= 0 else None


def list_code_tokens(grammar: Grammar, source: bytes) -> list[str | bytes] | None:
    """List the tokens of a source and where its nodes end, without comments and white space.

    Sources with equal lists differ only in comments and white space. A docstring is code: some programs show it.

    Returns:
        None for a source with a syntax error, or one that the parser gave up.

    Raises:
        ImportError: when the grammar's package is not installed.
    """
    tree = parse_source(grammar, source)
    if tree is None or tree.root_node.has_error:
        return None
    tokens: list[str | bytes] = []
    stack: list[tree_sitter.Node | None] = [tree.root_node]
    while stack:
        node = stack.pop()
        if node is None:
            tokens.append("end")
        elif "comment" in node.type:
            text = source[node.start_byte : node.end_byte]
            tokens += [text] if _DIRECTIVE.match(text) else []
        elif not node.child_count or _VERBATIM.search(node.type):
            tokens.append(source[node.start_byte : node.end_byte])
        else:
            tokens.append(node.type)
            stack += [None, *reversed(node.children)]
    return tokens


def find_inert_rows(
    grammar: Grammar, source: bytes, places: Sequence[tuple[int, int]]
) -> dict[int, Literal["comment", "string"]]:
    """Find the rows of places in a comment, docstring or string; none where the parser gave up.

    Args:
        grammar: the grammar of the source.
        source: the text of a whole file.
        places: row and column in bytes, counted from 0.

    Raises:
        ImportError: when the grammar's package is not installed.
    """
    tree = parse_source(grammar, source)
    wanted = sorted(places)
    found: dict[int, Literal["comment", "string"]] = {}
    stack = [(tree.root_node, "")] if tree is not None else []
    while stack:
        node, parent = stack.pop()
        # only nodes around a place are entered, so that of a large file little is visited
        first, last = bisect_left(wanted, node.start_point), bisect_left(wanted, node.end_point)
        if first == last:
            continue
        if "comment" in node.type or (node.type == "string" and parent == "expression_statement"):
            found.update((row, "comment") for row, _ in wanted[first:last])
        elif node.child_count:
            stack += [(child, node.type) for child in node.children]
        elif "string" in node.type:  # what is put into a string is a node of its own
            found.update((row, "string") for row, _ in wanted[first:last])
    return found
