"""C#."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .rules import Found, Rules, field_text, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node


def _operator(node: Node, source: bytes) -> Found | None:
    return Found("function", "operator" + field_text(node, source, "operator"), node.child_by_field_name("body"))


def _destructor(node: Node, source: bytes) -> Found | None:
    return Found("function", "~" + field_text(node, source, "name"), node.child_by_field_name("body"))


def _property(node: Node, source: bytes) -> Found | None:
    return Found("property", field_text(node, source, "name"), None)


def _using(node: Node, source: bytes) -> Iterator[str]:
    yield (
        text_of(node, source)
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
        "destructor_declaration": _destructor,
        "operator_declaration": _operator,
        "property_declaration": _property,
        "local_function_statement": "function",
    },
    wraps=frozenset({"global_statement"}),
    through=frozenset({"namespace_declaration", "file_scoped_namespace_declaration", "declaration_list", "preproc_if"}),
    imports={"using_directive": _using},
)
