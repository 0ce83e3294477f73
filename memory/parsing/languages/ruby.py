"""Ruby."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .rules import CONSTANT, FoundDefinition, Rules, make_finder, normalize_name, read_field, read_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

_REQUIRE = re.compile(r"""^(?:require|require_relative|load|autoload\s*\(?\s*:\w+,)\s*\(?\s*['"]([^'"]+)['"]""")
_MAX_REQUIRE_CHARS = 300  # a require is short; other calls may hold a whole block
_VISIBILITY = frozenset({"private", "public", "protected", "module_function", "private_class_method"})


def _find_assignment(node: Node, source: bytes) -> FoundDefinition | None:
    """`NAME = value`; a `Struct.new` or `Class.new` is a class in effect, and its name is found the same way."""
    left = node.child_by_field_name("left")
    return (
        FoundDefinition(CONSTANT, read_text(left, source), None)
        if left is not None and left.type == "constant"
        else None
    )


def _find_singleton_method(node: Node, source: bytes) -> FoundDefinition | None:
    """`def self.name` is a method of its class; `def other.name` says whose it is."""
    owner, name = read_field(node, source, "object"), read_field(node, source, "name")
    full = name if owner == "self" else f"{normalize_name(owner)}.{name}"
    return FoundDefinition("function", full, node.child_by_field_name("body"))


def _find_modified_method(node: Node, source: bytes) -> FoundDefinition | None:
    """`private def name`: the method, with its visibility."""
    if read_field(node, source, "method") not in _VISIBILITY:
        return None
    arguments = node.child_by_field_name("arguments")
    inner = arguments.named_child(0) if arguments is not None and arguments.named_child_count else None
    if inner is None or inner.type not in {"method", "singleton_method"}:
        return None
    return FoundDefinition("function", read_field(inner, source, "name"), inner.child_by_field_name("body"))


def _read_require(node: Node, source: bytes) -> Iterator[str]:
    if node.end_byte - node.start_byte < _MAX_REQUIRE_CHARS:
        yield from _REQUIRE.findall(read_text(node, source))


RULES = Rules(
    module="tree_sitter_ruby",
    function="language",
    definitions={
        "module": make_finder("module"),
        "class": make_finder("class"),
        "method": "function",
        "singleton_method": _find_singleton_method,
        "assignment": _find_assignment,
        "call": _find_modified_method,
    },
    through=frozenset({"singleton_class", "body_statement", "if", "unless", "begin", "then"}),
    imports={"call": _read_require},
    line_comments=("#",),
)
