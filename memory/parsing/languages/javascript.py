"""JavaScript with JSX, TypeScript and TSX: one family, one set of habits."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from .rules import CONSTANT, Found, Rules, field_text, plain, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

_FUNCTIONS = frozenset({"arrow_function", "function_expression", "generator_function"})
_REQUIRE = re.compile(r"""\brequire\(\s*['"]([^'"]+)['"]\s*\)""")
_REQUIRE_CHARS = 400  # a require stands at the front of its statement


def _value(name: str, value: Node | None, otherwise: str = "") -> Found | None:
    """What is called `name` because it is assigned: a function, a class, or `otherwise`."""
    if value is not None and value.type in _FUNCTIONS:
        return Found("function", name, value.child_by_field_name("body"))
    if value is not None and value.type == "class":
        return Found("class", name, value.child_by_field_name("body"))
    return Found(otherwise, name, None) if otherwise else None


def _variable(node: Node, source: bytes) -> Found | None:
    """`const f = () => …` is a function, `const LIMIT = 3` a constant."""
    declared = [child for child in node.named_children if child.type == "variable_declarator"]
    names = [name for child in declared if (name := field_text(child, source, "name")).isidentifier()]
    if not names or len(names) < len(declared):
        return None
    found = _value(names[0], declared[0].child_by_field_name("value"), CONSTANT)
    return found._replace(more=tuple(names[1:])) if found and len(names) > 1 else found


def _assigned(node: Node, source: bytes) -> Found | None:
    """`exports.f = function …` and `Foo.prototype.f = …`; a namespace in an expression statement is TypeScript's."""
    inner = node.named_child(0) if node.named_child_count else None
    if inner is None:
        return None
    if inner.type == "internal_module":
        return _namespace(inner, source)
    if inner.type != "assignment_expression":
        return None
    name = (
        field_text(inner, source, "left").removeprefix("module.").removeprefix("exports.").replace(".prototype.", ".")
    )
    return _value(plain(name), inner.child_by_field_name("right")) if len(name) < _REQUIRE_CHARS else None


def _default(node: Node, source: bytes) -> Found | None:
    """`export default function () …` has no name but this one; elsewhere such a function is only an expression."""
    if node.parent is None or node.parent.type != "export_statement":
        return None
    return _value(field_text(node, source, "name") or "default", node)


def _member(node: Node, source: bytes) -> Found | None:
    """A field or a property of an object whose value is a function."""
    name = field_text(node, source, "property") or field_text(node, source, "name") or field_text(node, source, "key")
    return _value(name.strip("'\""), node.child_by_field_name("value"))


def _namespace(node: Node, source: bytes) -> Found | None:
    name = plain(field_text(node, source, "name").strip("'\""))
    return Found("namespace", name, node.child_by_field_name("body")) if name else None


def _source(node: Node, source: bytes) -> Iterator[str]:
    yield field_text(node, source, "source").strip("'\"")


def _required(node: Node, source: bytes) -> Iterator[str]:
    yield from _REQUIRE.findall(text_of(node, source)) if node.end_byte - node.start_byte < _REQUIRE_CHARS else ()


JAVASCRIPT = Rules(
    module="tree_sitter_javascript",
    function="language",
    definitions={
        "function_declaration": "function",
        "generator_function_declaration": "function",
        "class_declaration": "class",
        "method_definition": "function",
        "lexical_declaration": _variable,
        "variable_declaration": _variable,
        "expression_statement": _assigned,
        "function_expression": _default,
        "arrow_function": _default,
        "class": _default,
        "field_definition": _member,
        "pair": _member,
    },
    wraps=frozenset({"export_statement"}),
    through=frozenset({"if_statement", "statement_block"}),
    leading=frozenset({"comment", "decorator"}),
    imports={
        "import_statement": _source,
        "export_statement": _source,
        "lexical_declaration": _required,
        "variable_declaration": _required,
        "expression_statement": _required,
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
        "public_field_definition": _member,
        "internal_module": _namespace,
        "module": _namespace,
    },
    wraps=frozenset({"export_statement", "ambient_declaration"}),
)

TSX = replace(TYPESCRIPT, function="language_tsx")
