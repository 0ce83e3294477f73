"""Parses with tree-sitter: grammars loaded when first needed, and no text that can hold the parser up for ever."""

from __future__ import annotations

import importlib
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Language, Tree

    from aurora.memory.parsing.languages import Rules

MAX_BYTES = 4 << 20
"""Beyond this a file is not parsed at all."""

_BLOCK_BYTES = 1 << 16
_MIN_CALLBACKS = 2_000
_BYTES_PER_CALLBACK = 12
"""The parser reports once in 100 of its steps. Real code has about 190 bytes between reports and the most broken text
that was tried about 20; fewer than this means that it is going in circles. Counting steps, not seconds, keeps the
same text in the same pieces on a slow day."""


@cache
def load_grammar(module: str, function: str) -> Language:
    """The grammar of a language, loaded once in a process.

    Raises:
        ImportError: when its wheel is not installed.
    """
    from tree_sitter import Language  # noqa: PLC0415 - a search or a run's step never parses, so it need not load this

    return Language(getattr(importlib.import_module(module), function)())


def parse_source(rules: Rules, source: bytes) -> Tree | None:
    """The syntax tree of the source; None when the parser gave up or the source is too large for it.

    A tree may hold errors: ask `root_node.has_error`.
    """
    if len(source) > MAX_BYTES:
        return None
    from tree_sitter import Parser  # noqa: PLC0415 - as above

    left = _MIN_CALLBACKS + len(source) // _BYTES_PER_CALLBACK

    def read_block(offset: int, _point: object) -> bytes:
        return source[offset : offset + _BLOCK_BYTES]

    def is_over_budget(_offset: int, _has_error: bool) -> bool:  # noqa: FBT001 - the parser's own signature
        nonlocal left
        left -= 1
        return left < 0

    try:
        return Parser(load_grammar(rules.module, rules.function)).parse(read_block, progress_callback=is_over_budget)
    except ValueError:  # the parser's only word for "stopped by the callback"
        return None
