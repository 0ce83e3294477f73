"""C and C++."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from .rules import CONSTANT, Found, Rules, field_text, named, plain, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

_RECORDS = {
    "struct_specifier": "struct",
    "union_specifier": "union",
    "enum_specifier": "enum",
    "class_specifier": "class",
}
_DECLARATORS = 16  # pointers to pointers to functions go no deeper than people read


def _declared(node: Node) -> Node | None:
    """The innermost declarator: the name, out of its pointers, parameters and array bounds."""
    inner = node.child_by_field_name("declarator")
    for _ in range(_DECLARATORS):
        deeper = inner.child_by_field_name("declarator") if inner is not None else None
        if deeper is None and inner is not None and inner.type in {"reference_declarator", "parenthesized_declarator"}:
            deeper = inner.named_child(0) if inner.named_child_count else None
        if deeper is None:
            return inner
        inner = deeper
    return inner


def _without_arguments(node: Node, source: bytes) -> str:
    """`Foo<int>::bar` as `Foo.bar`; an operator keeps its signs."""
    parts: list[str] = []
    current: Node | None = node
    while current is not None and current.type == "qualified_identifier":
        parts.append(plain(field_text(current, source, "scope")))
        current = current.child_by_field_name("name")
    last = text_of(current, source)
    if current is not None and current.type.startswith(("operator", "destructor")):
        parts.append("".join(last.split()))
    else:
        parts.append(plain(last))
    return ".".join(part for part in parts if part)


def _function(node: Node, source: bytes) -> Found | None:
    """A function; or `class API Name { … }`, which a grammar that cannot expand `API` takes for one."""
    inner, type_ = _declared(node), node.child_by_field_name("type")
    name = _without_arguments(inner, source) if inner is not None else ""
    is_class = inner is not None and inner.type == "identifier" and type_ is not None and type_.type in _RECORDS
    kind = _RECORDS[type_.type] if is_class and type_ is not None else "function"
    return Found(kind, name, node.child_by_field_name("body")) if name else None


def _record(node: Node, source: bytes) -> Found | None:
    """A struct, union, enum or class with a body; without one it is only mentioned."""
    body = node.child_by_field_name("body")
    name = plain(field_text(node, source, "name"))
    return Found(_RECORDS[node.type], name, body) if name and body is not None else None


def _typedef(node: Node, source: bytes) -> Found | None:
    """`typedef struct { … } Name;` is the struct `Name`."""
    inner, name = node.child_by_field_name("type"), text_of(_declared(node), source)
    if not name:
        return None
    body = inner.child_by_field_name("body") if inner is not None else None
    kind = _RECORDS.get(inner.type, "type") if inner is not None and body is not None else "type"
    return Found(kind, name, body)


def _declaration(node: Node, source: bytes) -> Found | None:
    """A variable, a prototype, or a struct with a variable after it."""
    inner = node.child_by_field_name("type")
    if inner is not None and inner.type in _RECORDS and (found := _record(inner, source)):
        return found
    declared = _declared(node)
    name = _without_arguments(declared, source) if declared is not None else ""
    return Found(CONSTANT, name, None) if name else None


def _macro(node: Node, source: bytes) -> Found | None:
    return Found("macro", field_text(node, source, "name"), None)


def _define(node: Node, source: bytes) -> Found | None:
    """`#define NAME value`; a header's guard has no value and is no constant."""
    return (
        Found(CONSTANT, field_text(node, source, "name"), None)
        if node.child_by_field_name("value") is not None
        else None
    )


def _include(node: Node, source: bytes) -> Iterator[str]:
    yield field_text(node, source, "path").strip('<>"')


C = Rules(
    module="tree_sitter_c",
    function="language",
    definitions={
        "function_definition": _function,
        "struct_specifier": _record,
        "union_specifier": _record,
        "enum_specifier": _record,
        "type_definition": _typedef,
        "declaration": _declaration,
        "preproc_function_def": _macro,
        "preproc_def": _define,
    },
    through=frozenset(
        {
            "preproc_ifdef",
            "preproc_if",
            "preproc_else",
            "preproc_elif",
            "preproc_elifdef",
            "linkage_specification",
            "declaration_list",
        }
    ),
    imports={"preproc_include": _include},
)

CPP = replace(
    C,
    module="tree_sitter_cpp",
    definitions={
        **C.definitions,
        "class_specifier": _record,
        "concept_definition": named("type"),
        "alias_declaration": "type",
    },
    wraps=frozenset({"template_declaration"}),
    through=C.through | {"namespace_definition", "labeled_statement"},
)
