"""JavaScript with JSX, TypeScript and TSX: one family, one set of habits."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from .rules import CONSTANT, FoundDefinition, Rules, normalize_name, read_field, read_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

_FUNCTION_TYPES = frozenset({"arrow_function", "function_expression", "generator_function"})
_REQUIRE = re.compile(r"""\brequire\(\s*['"]([^'"]+)['"]\s*\)""")
_MAX_REQUIRE_CHARS = 400  # a require stands at the front of its statement


def _classify_value(name: str, value: Node | None, otherwise: str = "") -> FoundDefinition | None:
    """What is called `name` because it is assigned: a function, a class, or `otherwise`."""
    if value is not None and value.type in _FUNCTION_TYPES:
        return FoundDefinition("function", name, value.child_by_field_name("body"))
    if value is not None and value.type == "class":
        return FoundDefinition("class", name, value.child_by_field_name("body"))
    return FoundDefinition(otherwise, name, None) if otherwise else None


def _find_variable(node: Node, source: bytes) -> FoundDefinition | None:
    """`const f = () => …` is a function, `const LIMIT = 3` a constant."""
    declared = [child for child in node.named_children if child.type == "variable_declarator"]
    names = [name for child in declared if (name := read_field(child, source, "name")).isidentifier()]
    if not names or len(names) < len(declared):
        return None
    found = _classify_value(names[0], declared[0].child_by_field_name("value"), CONSTANT)
    return found._replace(more=tuple(names[1:])) if found and len(names) > 1 else found


def _find_assignment(node: Node, source: bytes) -> FoundDefinition | None:
    """`exports.f = function …` and `Foo.prototype.f = …`; a namespace in an expression statement is TypeScript's."""
    inner = node.named_child(0) if node.named_child_count else None
    if inner is None:
        return None
    if inner.type == "internal_module":
        return _find_namespace(inner, source)
    if inner.type != "assignment_expression":
        return None
    name = (
        read_field(inner, source, "left").removeprefix("module.").removeprefix("exports.").replace(".prototype.", ".")
    )
    return (
        _classify_value(normalize_name(name), inner.child_by_field_name("right"))
        if len(name) < _MAX_REQUIRE_CHARS
        else None
    )


def _find_default_export(node: Node, source: bytes) -> FoundDefinition | None:
    """`export default function () …` has no name but this one; elsewhere such a function is only an expression."""
    if node.parent is None or node.parent.type != "export_statement":
        return None
    return _classify_value(read_field(node, source, "name") or "default", node)


def _find_member(node: Node, source: bytes) -> FoundDefinition | None:
    """A field or a property of an object whose value is a function."""
    name = read_field(node, source, "property") or read_field(node, source, "name") or read_field(node, source, "key")
    return _classify_value(name.strip("'\""), node.child_by_field_name("value"))


def _find_namespace(node: Node, source: bytes) -> FoundDefinition | None:
    name = normalize_name(read_field(node, source, "name").strip("'\""))
    return FoundDefinition("namespace", name, node.child_by_field_name("body")) if name else None


def _read_source(node: Node, source: bytes) -> Iterator[str]:
    yield read_field(node, source, "source").strip("'\"")


def _read_requires(node: Node, source: bytes) -> Iterator[str]:
    yield from _REQUIRE.findall(read_text(node, source)) if node.end_byte - node.start_byte < _MAX_REQUIRE_CHARS else ()


JAVASCRIPT = Rules(
    module="tree_sitter_javascript",
    function="language",
    definitions={
        "function_declaration": "function",
        "generator_function_declaration": "function",
        "class_declaration": "class",
        "method_definition": "function",
        "lexical_declaration": _find_variable,
        "variable_declaration": _find_variable,
        "expression_statement": _find_assignment,
        "function_expression": _find_default_export,
        "arrow_function": _find_default_export,
        "class": _find_default_export,
        "field_definition": _find_member,
        "pair": _find_member,
    },
    wraps=frozenset({"export_statement"}),
    through=frozenset({"if_statement", "statement_block"}),
    leading=frozenset({"comment", "decorator"}),
    imports={
        "import_statement": _read_source,
        "export_statement": _read_source,
        "lexical_declaration": _read_requires,
        "variable_declaration": _read_requires,
        "expression_statement": _read_requires,
    },
)

TYPESCRIPT = replace(
    JAVASCRIPT,
    module="tree_sitter_typescript",
    function="language_typescript",
    definitions={
        **JAVASCRIPT.definitions,
        "abstract_class_declaration": "class",
        "interface_declaration": "interface",
        "enum_declaration": "enum",
        "type_alias_declaration": "type",
        "function_signature": "function",
        "abstract_method_signature": "function",
        "public_field_definition": _find_member,
        "internal_module": _find_namespace,
        "module": _find_namespace,
    },
    wraps=frozenset({"export_statement", "ambient_declaration"}),
)

TSX = replace(TYPESCRIPT, function="language_tsx")
