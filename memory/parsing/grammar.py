"""Tree-sitter parsing: grammars loaded when first needed, with a limit of work for each source."""

from __future__ import annotations

import importlib
from functools import cache
from typing import TYPE_CHECKING

import tree_sitter

if TYPE_CHECKING:
    from aurora.memory.parsing.languages import Grammar

MAX_BYTES = 4 << 20
"""A larger file is not parsed."""

_BLOCK_BYTES = 1 << 16
_MIN_CALLBACKS = 2_000
_BYTES_PER_CALLBACK = 12
"""The parser calls back once in 100 of its steps. Real code has about 190 bytes between two callbacks, and the most
broken text that was measured about 20; fewer than this means an endless loop. A limit in steps, not in seconds, gives
the same text the same chunks on a slow machine."""


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

    def read_block(offset: int, _point: object) -> bytes:
        return source[offset : offset + _BLOCK_BYTES]

    def is_over_budget(_offset: int, _has_error: bool) -> bool:  # noqa: FBT001 - the parser's own signature
        nonlocal left
        left -= 1
        return left < 0

    try:
        return tree_sitter.Parser(load_grammar(grammar)).parse(read_block, progress_callback=is_over_budget)
    except ValueError:  # the parser raises nothing else when a callback stops it
        return None
