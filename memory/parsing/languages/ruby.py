"""Ruby."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .rules import CONSTANT, Found, Rules, field_text, named, plain, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

_REQUIRE = re.compile(r"""^(?:require|require_relative|load|autoload\s*\(?\s*:\w+,)\s*\(?\s*['"]([^'"]+)['"]""")
_CALL_CHARS = 300  # a require is short; other calls may hold a whole block
_VISIBILITY = frozenset({"private", "public", "protected", "module_function", "private_class_method"})


def _assignment(node: Node, source: bytes) -> Found | None:
    """`NAME = value`; a `Struct.new` or `Class.new` is a class in effect, and its name is found the same way."""
    left = node.child_by_field_name("left")
    return Found(CONSTANT, text_of(left, source), None) if left is not None and left.type == "constant" else None


def _singleton(node: Node, source: bytes) -> Found | None:
    """`def self.name` is a method of its class; `def other.name` says whose it is."""
    owner, name = field_text(node, source, "object"), field_text(node, source, "name")
    full = name if owner == "self" else f"{plain(owner)}.{name}"
    return Found("function", full, node.child_by_field_name("body"))


def _call(node: Node, source: bytes) -> Found | None:
    """`private def name`: the method, with its visibility."""
    if field_text(node, source, "method") not in _VISIBILITY:
        return None
    arguments = node.child_by_field_name("arguments")
    inner = arguments.named_child(0) if arguments is not None and arguments.named_child_count else None
    if inner is None or inner.type not in {"method", "singleton_method"}:
        return None
    return Found("function", field_text(inner, source, "name"), inner.child_by_field_name("body"))


def _require(node: Node, source: bytes) -> Iterator[str]:
    if node.end_byte - node.start_byte < _CALL_CHARS:
        yield from _REQUIRE.findall(text_of(node, source))


RULES = Rules(
    module="tree_sitter_ruby",
    function="language",
    definitions={
        "module": named("module"),
        "class": named("class"),
        "method": "function",
        "singleton_method": _singleton,
        "assignment": _assignment,
        "call": _call,
    },
    through=frozenset({"singleton_class", "body_statement", "if", "unless", "begin", "then"}),
    imports={"call": _require},
    line_comments=("#",),
)
