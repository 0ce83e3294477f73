"""Captures of a language's query: the bytes of calls, imports, bases and declarations."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import tree_sitter

from aurora.memory.parsing import load_grammar

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tree_sitter import Node

    from aurora.memory.parsing.languages import Language

    Capture = tuple[int, str, int]
    """The first byte, the name of the capture in the query, and the byte after the last."""

_MAX_IMPORT_BYTES = 20_000
_MAX_REQUIRE_BYTES = 300
_MAX_ERROR_CHILDREN = 10_000
"""A query's time grows with the square of the children of one syntax error: minutes for a file of brackets."""


class Captures(NamedTuple):
    """The captures of one file, each list in the order of the text; the cursor's own order is not stable.

    Attributes:
        members: members without a definition of their own.
        imports_and_bases: imports, base classes and implemented interfaces.
        bindings: declarations that give a variable a type.
        calls: calls and instantiations.
    """

    members: Sequence[Capture]
    imports_and_bases: Sequence[Capture]
    bindings: Sequence[Capture]
    calls: Sequence[Capture]


def find_captures(language: Language, source: bytes, root: Node) -> Captures:
    """Run the language's query.

    Args:
        language: the file's language.
        source: the text that was parsed.
        root: the root of its tree.
    """
    rules = language.graph
    nodes = {} if _is_crowded(root) else tree_sitter.QueryCursor(_load_query(language)).captures(root)
    found = {what: [(node.start_byte, what, node.end_byte) for node in some] for what, some in nodes.items()}
    imports = [each for each in found.get("import", ()) if each[2] - each[0] <= _MAX_IMPORT_BYTES]
    calls = found.get("call", [])
    if rules.call_name:
        calls = list(_capture_names(nodes.get("call", ()), rules.call_name))
    if words := rules.require_words:
        required = [each for each in found.get("call", ()) if source.startswith(words, each[0])]
        imports += [(start, "import", min(end, start + _MAX_REQUIRE_BYTES)) for start, _, end in required]
        calls = [each for each in calls if not source.startswith(words, each[0])]
    return Captures(
        sorted(found.get("member", ())),
        sorted([*imports, *found.get("base", ()), *found.get("impl", ())]),
        sorted(found.get("bind", ())),
        sorted([*calls, *found.get("new", ())]),
    )


def _capture_names(calls: Iterable[Node], field: str) -> Iterator[Capture]:
    """Capture calls up to the end of their name, without the arguments."""
    for node in calls:
        last = node.child_by_field_name(field) or node
        yield node.start_byte, "call", last.end_byte


@cache
def _load_query(language: Language) -> tree_sitter.Query:
    return tree_sitter.Query(load_grammar(language.grammar), language.graph.query)


def _is_crowded(root: Node) -> bool:
    """Return whether one syntax error contains thousands of tokens, too many to query.

    The cursor has no time limit that works: its progress callback ends the process (tree-sitter 0.26.1).
    """
    stack = [root] if root.has_error else []
    while stack:
        node = stack.pop()
        if node.type == "ERROR" and node.child_count > _MAX_ERROR_CHILDREN:
            return True
        stack.extend(child for child in node.children if child.has_error)
    return False


def decode_piece(piece: str) -> str:
    """Decode a piece of UTF-8 that was sliced as `latin-1`, one letter a byte; replace invalid bytes.

    Slicing a string is cheap, and an ASCII piece, as most are, needs no decoding.
    """
    return piece if piece.isascii() else piece.encode("latin-1").decode("utf-8", "replace")
