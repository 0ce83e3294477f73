"""C#."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .rules import FoundDefinition, Rules, read_field, read_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node


def _find_operator(node: Node, source: bytes) -> FoundDefinition | None:
    return FoundDefinition(
        "function", "operator" + read_field(node, source, "operator"), node.child_by_field_name("body")
    )


def _find_destructor(node: Node, source: bytes) -> FoundDefinition | None:
    return FoundDefinition("function", "~" + read_field(node, source, "name"), node.child_by_field_name("body"))


def _find_property(node: Node, source: bytes) -> FoundDefinition | None:
    return FoundDefinition("property", read_field(node, source, "name"), None)


def _read_using(node: Node, source: bytes) -> Iterator[str]:
    yield (
        read_text(node, source)
        .split("=")[-1]
        .strip(" ;\t\n")
        .removeprefix("global ")
        .removeprefix("using ")
        .removeprefix("static ")
    )


RULES = Rules(
    module="tree_sitter_c_sharp",
    function="language",
    definitions={
        "class_declaration": "class",
        "struct_declaration": "struct",
        "interface_declaration": "interface",
        "enum_declaration": "enum",
        "record_declaration": "record",
        "delegate_declaration": "type",
        "method_declaration": "function",
        "constructor_declaration": "function",
        "destructor_declaration": _find_destructor,
        "operator_declaration": _find_operator,
        "property_declaration": _find_property,
        "local_function_statement": "function",
    },
    wraps=frozenset({"global_statement"}),
    through=frozenset({"namespace_declaration", "file_scoped_namespace_declaration", "declaration_list", "preproc_if"}),
    imports={"using_directive": _read_using},
)
