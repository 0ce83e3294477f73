"""Names that an expression reads: at the root of its scope, and anywhere."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from .error import ExpressionError
from .jmespath import compile_expression

if TYPE_CHECKING:
    from collections.abc import Iterator

_FIRST_ONLY = frozenset(
    {"subexpression", "index_expression", "projection", "value_projection", "filter_projection", "pipe", "flatten"}
)
"""Nodes whose other children are evaluated on the value of the first one."""


@lru_cache(maxsize=4096)
def find_root_names(text: str) -> frozenset[str]:
    """Find the names that an expression reads at the root of its scope; none for an invalid one."""
    try:
        return frozenset(_iter_names(compile_expression(text).parsed))
    except ExpressionError:
        return frozenset()


@lru_cache(maxsize=4096)
def find_field_names(text: str) -> frozenset[str]:
    """Find all names of fields in an expression, and `*` for any field."""
    try:
        waiting, found = [compile_expression(text).parsed], set()
    except ExpressionError:
        return frozenset()
    while waiting:
        node = waiting.pop()
        if node["type"] in ("field", "value_projection"):
            found.add(node["value"] if node["type"] == "field" else "*")
        waiting += node["children"]
    return frozenset(found)


def _iter_names(tree: dict[str, Any]) -> Iterator[str]:
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if node["type"] == "field":
            yield node["value"]
        elif node["type"] != "expref":
            children = node["children"]
            waiting += children[:1] if node["type"] in _FIRST_ONLY else children
