"""Finds in a syntax tree what the graph is made of: which bytes are a call, an import, a base, a variable's type."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from aurora.memory.parsing import load_grammar
from aurora.memory.parsing.languages import LANGUAGE_RULES

from .queries import QUERIES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tree_sitter import Node, Query

    Spot = tuple[int, str, int]
    """The byte where it begins, what it was found as, and the byte after its last."""

_MAX_IMPORT_BYTES = 20_000
_MAX_REQUIRE_BYTES = 300
_MAX_ERROR_CHILDREN = (
    10_000  # children of one error; a query's time grows with the square of them, minutes for a file of brackets
)
_REQUIRE_WORDS = (b"require ", b"require(", b"require_relative", b"load ")
_NAME_FIELDS = {"java": "name", "ruby": "method"}
"""The field with the name, where the whole call is one node with its arguments."""


class Captures(NamedTuple):
    """What was found, each list in the order of the text; the parser gives it in no order that lasts.

    Attributes:
        members: too small for a definition of their own.
        learnt: imports, bases and what is implemented.
        bound: variables that are given a type.
        called: what is called or made.
    """

    members: Sequence[Spot]
    imports_and_bases: Sequence[Spot]
    bindings: Sequence[Spot]
    calls: Sequence[Spot]


def find_captures(language: str, source: bytes, root: Node) -> Captures:
    """All that the language's query finds under `root`.

    Args:
        language: one that has rules.
        source: the text that was parsed.
        root: the root of its tree.
    """
    from tree_sitter import QueryCursor  # noqa: PLC0415 - only indexing needs it

    nodes = {} if _is_crowded(root) else QueryCursor(_load_query(language)).captures(root)
    found = {what: [(node.start_byte, what, node.end_byte) for node in some] for what, some in nodes.items()}
    imports = [spot for spot in found.get("import", ()) if spot[2] - spot[0] <= _MAX_IMPORT_BYTES]
    calls = found.get("call", [])
    if language in _NAME_FIELDS:
        calls = list(_capture_names(nodes.get("call", ()), _NAME_FIELDS[language]))
    if language == "ruby":
        required = [spot for spot in found.get("call", ()) if _is_require(source, spot[0])]
        imports += [(start, "import", min(end, start + _MAX_REQUIRE_BYTES)) for start, _, end in required]
        calls = [spot for spot in calls if not _is_require(source, spot[0])]
    return Captures(
        sorted(found.get("member", ())),
        sorted([*imports, *found.get("base", ()), *found.get("impl", ())]),
        sorted(found.get("bind", ())),
        sorted([*calls, *found.get("new", ())]),
    )


def _capture_names(calls: Iterable[Node], field: str) -> Iterator[Spot]:
    """Calls of which only what stands before the arguments counts."""
    for node in calls:
        last = node.child_by_field_name(field) or node
        yield node.start_byte, "call", last.end_byte


def _is_require(source: bytes, start: int) -> bool:
    """Whether a call of Ruby's is its import."""
    return source.startswith(_REQUIRE_WORDS, start)


@cache
def _load_query(language: str) -> Query:
    from tree_sitter import Query  # noqa: PLC0415 - as above

    rules = LANGUAGE_RULES[language]
    return Query(load_grammar(rules.module, rules.function), QUERIES[language])


def _is_crowded(root: Node) -> bool:
    """Whether the parser understood so little that one error holds thousands of tokens: nothing is to be found there.

    The cursor takes no limit of its time: its callback for that ends the process (tree-sitter 0.26.1).
    """
    stack = [root] if root.has_error else []
    while stack:
        node = stack.pop()
        if node.type == "ERROR" and node.child_count > _MAX_ERROR_CHILDREN:
            return True
        stack.extend(child for child in node.children if child.has_error)
    return False


def decode_piece(piece: str) -> str:
    """What stands there, given the same bytes as letters, one each (`latin-1`); bytes that are no text are replaced.

    Cutting the source up as letters is cheap, and most pieces are ASCII: then this is all.
    """
    return piece if piece.isascii() else piece.encode("latin-1").decode("utf-8", "replace")
