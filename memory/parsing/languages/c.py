"""C and C++."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from .rules import CONSTANT, FoundDefinition, Rules, make_finder, normalize_name, read_field, read_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

_RECORD_KINDS = {
    "struct_specifier": "struct",
    "union_specifier": "union",
    "enum_specifier": "enum",
    "class_specifier": "class",
}
_MAX_DECLARATORS = 16  # pointers to pointers to functions go no deeper than people read


def _find_declarator(node: Node) -> Node | None:
    """The innermost declarator: the name, out of its pointers, parameters and array bounds."""
    inner = node.child_by_field_name("declarator")
    for _ in range(_MAX_DECLARATORS):
        deeper = inner.child_by_field_name("declarator") if inner is not None else None
        if deeper is None and inner is not None and inner.type in {"reference_declarator", "parenthesized_declarator"}:
            deeper = inner.named_child(0) if inner.named_child_count else None
        if deeper is None:
            return inner
        inner = deeper
    return inner


def _read_qualified_name(node: Node, source: bytes) -> str:
    """`Foo<int>::bar` as `Foo.bar`; an operator keeps its signs."""
    parts: list[str] = []
    current: Node | None = node
    while current is not None and current.type == "qualified_identifier":
        parts.append(normalize_name(read_field(current, source, "scope")))
        current = current.child_by_field_name("name")
    last = read_text(current, source)
    if current is not None and current.type.startswith(("operator", "destructor")):
        parts.append("".join(last.split()))
    else:
        parts.append(normalize_name(last))
    return ".".join(part for part in parts if part)


def _find_function(node: Node, source: bytes) -> FoundDefinition | None:
    """A function; or `class API Name { … }`, which a grammar that cannot expand `API` takes for one."""
    inner, type_ = _find_declarator(node), node.child_by_field_name("type")
    name = _read_qualified_name(inner, source) if inner is not None else ""
    is_class = inner is not None and inner.type == "identifier" and type_ is not None and type_.type in _RECORD_KINDS
    kind = _RECORD_KINDS[type_.type] if is_class and type_ is not None else "function"
    return FoundDefinition(kind, name, node.child_by_field_name("body")) if name else None


def _find_record(node: Node, source: bytes) -> FoundDefinition | None:
    """A struct, union, enum or class with a body; without one it is only mentioned."""
    body = node.child_by_field_name("body")
    name = normalize_name(read_field(node, source, "name"))
    return FoundDefinition(_RECORD_KINDS[node.type], name, body) if name and body is not None else None


def _find_typedef(node: Node, source: bytes) -> FoundDefinition | None:
    """`typedef struct { … } Name;` is the struct `Name`."""
    inner, name = node.child_by_field_name("type"), read_text(_find_declarator(node), source)
    if not name:
        return None
    body = inner.child_by_field_name("body") if inner is not None else None
    kind = _RECORD_KINDS.get(inner.type, "type") if inner is not None and body is not None else "type"
    return FoundDefinition(kind, name, body)


def _find_declaration(node: Node, source: bytes) -> FoundDefinition | None:
    """A variable, a prototype, or a struct with a variable after it."""
    inner = node.child_by_field_name("type")
    if inner is not None and inner.type in _RECORD_KINDS and (found := _find_record(inner, source)):
        return found
    declared = _find_declarator(node)
    name = _read_qualified_name(declared, source) if declared is not None else ""
    return FoundDefinition(CONSTANT, name, None) if name else None


def _find_macro(node: Node, source: bytes) -> FoundDefinition | None:
    return FoundDefinition("macro", read_field(node, source, "name"), None)


def _find_constant(node: Node, source: bytes) -> FoundDefinition | None:
    """`#define NAME value`; a header's guard has no value and is no constant."""
    return (
        FoundDefinition(CONSTANT, read_field(node, source, "name"), None)
        if node.child_by_field_name("value") is not None
        else None
    )


def _read_include(node: Node, source: bytes) -> Iterator[str]:
    yield read_field(node, source, "path").strip('<>"')


C = Rules(
    module="tree_sitter_c",
    function="language",
    definitions={
        "function_definition": _find_function,
        "struct_specifier": _find_record,
        "union_specifier": _find_record,
        "enum_specifier": _find_record,
        "type_definition": _find_typedef,
        "declaration": _find_declaration,
        "preproc_function_def": _find_macro,
        "preproc_def": _find_constant,
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
    imports={"preproc_include": _read_include},
)

CPP = replace(
    C,
    module="tree_sitter_cpp",
    definitions={
        **C.definitions,
        "class_specifier": _find_record,
        "concept_definition": make_finder("type"),
        "alias_declaration": "type",
    },
    wraps=frozenset({"template_declaration"}),
    through=C.through | {"namespace_definition", "labeled_statement"},
)
