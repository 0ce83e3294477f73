"""Rust."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .rules import CONSTANT, FoundDefinition, Rules, normalize_name, read_field

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node


def _find_impl(node: Node, source: bytes) -> FoundDefinition | None:
    """`impl<T> Display for Foo<T>` is `Foo`, so that its methods are `Foo.fmt`."""
    name = normalize_name(read_field(node, source, "type").lstrip("&'").removeprefix("dyn "))
    return FoundDefinition("impl", name, node.child_by_field_name("body")) if name else None


def _find_module(node: Node, source: bytes) -> FoundDefinition | None:
    """`mod name { … }`; `mod name;` only says that there is a file."""
    body = node.child_by_field_name("body")
    return FoundDefinition("module", read_field(node, source, "name"), body) if body is not None else None


def _read_use(node: Node, source: bytes) -> Iterator[str]:
    yield read_field(node, source, "argument")


def _read_mod_file(node: Node, source: bytes) -> Iterator[str]:
    if node.child_by_field_name("body") is None:
        yield read_field(node, source, "name")


def _find_constant(node: Node, source: bytes) -> FoundDefinition | None:
    return FoundDefinition(CONSTANT, read_field(node, source, "name"), None)


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
        "impl_item": _find_impl,
        "mod_item": _find_module,
        "macro_definition": "macro",
        "type_item": "type",
        "const_item": _find_constant,
        "static_item": _find_constant,
    },
    through=frozenset({"foreign_mod_item", "declaration_list"}),
    leading=frozenset({"line_comment", "block_comment", "attribute_item"}),
    imports={"use_declaration": _read_use, "mod_item": _read_mod_file},
    macros=True,
)
