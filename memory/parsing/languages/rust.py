"""Rust."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .rules import CONSTANT, Found, Rules, field_text, plain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node


def _impl(node: Node, source: bytes) -> Found | None:
    """`impl<T> Display for Foo<T>` is `Foo`, so that its methods are `Foo.fmt`."""
    name = plain(field_text(node, source, "type").lstrip("&'").removeprefix("dyn "))
    return Found("impl", name, node.child_by_field_name("body")) if name else None


def _module(node: Node, source: bytes) -> Found | None:
    """`mod name { … }`; `mod name;` only says that there is a file."""
    body = node.child_by_field_name("body")
    return Found("module", field_text(node, source, "name"), body) if body is not None else None


def _use(node: Node, source: bytes) -> Iterator[str]:
    yield field_text(node, source, "argument")


def _file(node: Node, source: bytes) -> Iterator[str]:
    if node.child_by_field_name("body") is None:
        yield field_text(node, source, "name")


def _constant(node: Node, source: bytes) -> Found | None:
    return Found(CONSTANT, field_text(node, source, "name"), None)


RULES = Rules(
    module="tree_sitter_rust",
    function="language",
    definitions={
        "function_item": "function",
        "function_signature_item": "function",
        "struct_item": "struct",
        "union_item": "union",
        "enum_item": "enum",
        "trait_item": "trait",
        "impl_item": _impl,
        "mod_item": _module,
        "macro_definition": "macro",
        "type_item": "type",
        "const_item": _constant,
        "static_item": _constant,
    },
    through=frozenset({"foreign_mod_item", "declaration_list"}),
    leading=frozenset({"line_comment", "block_comment", "attribute_item"}),
    imports={"use_declaration": _use, "mod_item": _file},
    macros=True,
)
