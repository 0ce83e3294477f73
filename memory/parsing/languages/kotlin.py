"""Kotlin; it calls what Java defines."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from aurora.memory.model.graph import ImportBinding

from .language import (
    CONSTANT,
    FoundDefinition,
    Grammar,
    GraphRules,
    Language,
    OutlineRules,
    ScopeRules,
    find_child,
    normalize_name,
    read_field,
    read_text,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

_QUERY = """
(call_expression . [(identifier) (navigation_expression)] @call)
(class_declaration "class" (delegation_specifiers (delegation_specifier (constructor_invocation (user_type) @base))))
(class_declaration "class" (delegation_specifiers (delegation_specifier (user_type) @impl)))
(class_declaration "class" (delegation_specifiers (delegation_specifier (explicit_delegation . (user_type) @impl))))
(class_declaration "interface" (delegation_specifiers (delegation_specifier (user_type) @base)))
(object_declaration (delegation_specifiers (delegation_specifier (constructor_invocation (user_type) @base))))
(object_declaration (delegation_specifiers (delegation_specifier (user_type) @impl)))
(import) @import
(property_declaration) @bind
(class_parameter) @bind
(parameter) @bind
"""

_BINDINGS = (
    re.compile(r"(?:\S+\s+){0,6}?va[lr]\s+(?P<v>\w+)\s*=\s*(?P<t>(?:\w+\.)*[A-Z]\w*)\("),
    re.compile(r"(?:\S+\s+){0,6}?(?P<v>\w+)\s*:\s*(?P<t>[\w.]+)"),
)


def _find_class(node: Node, source: bytes) -> FoundDefinition | None:
    """Find a class, an interface or an enum; only the keyword and the body tell which."""
    body = find_child(node, "class_body", "enum_class_body")
    kind = "enum" if body is not None and body.type == "enum_class_body" else "class"
    if any(child.type == "interface" for child in node.children):
        kind = "interface"
    return FoundDefinition(kind, read_field(node, source, "name"), body)


def _find_object(node: Node, source: bytes) -> FoundDefinition | None:
    return FoundDefinition("class", read_field(node, source, "name"), find_child(node, "class_body"))


def _find_function(node: Node, source: bytes) -> FoundDefinition | None:
    """Find a function; `fun Order.total()` at the top of a file is `Order.total`, a method from outside."""
    name, body = read_field(node, source, "name"), find_child(node, "function_body")
    receiver = _read_receiver(node, source)
    return FoundDefinition("method" if receiver else "function", receiver + name, body)


def _read_receiver(node: Node, source: bytes) -> str:
    """Read the type that an extension at the top of a file belongs to, with a dot."""
    if node.parent is None or node.parent.type != "source_file":
        return ""
    for child in node.named_children:
        if child.type in {"function_value_parameters", "variable_declaration"}:
            break
        if child.type in {"user_type", "nullable_type"}:
            return normalize_name(read_text(child, source).rstrip("?")) + "."
    return ""


def _find_constructor(node: Node, _source: bytes) -> FoundDefinition | None:
    return FoundDefinition("function", "constructor", find_child(node, "block"))


def _find_property(node: Node, source: bytes) -> FoundDefinition | None:
    """Find a property with code, or a constant at the top of a file."""
    name = read_text(find_child(declared), source) if (declared := find_child(node, "variable_declaration")) else ""
    code = find_child(node, "getter", "setter", "property_delegate")
    receiver = _read_receiver(node, source)
    return FoundDefinition("property" if code or receiver else CONSTANT, receiver + name, None)


def _find_alias(node: Node, source: bytes) -> FoundDefinition | None:
    return FoundDefinition("type", read_field(node, source, "type"), None)


def _strip_import(text: str) -> str:
    return text.removeprefix("import").strip(" ;\t\n").replace("`", "")


def _list_imports(node: Node, source: bytes) -> Iterator[str]:
    yield _strip_import(read_text(node, source)).partition(" as ")[0].strip()


def _read_imports(text: str) -> Iterator[ImportBinding]:
    """Read `import a.b.C`, `import a.b.C as D`, `import a.b.*`."""
    path, _, alias = _strip_import(text).partition(" as ")
    module, _, last = path.strip().rpartition(".")
    if module:
        yield ImportBinding(module, last, alias.strip() or last)


KOTLIN = Language(
    name="kotlin",
    family="java",
    extensions=(".kt", ".kts"),
    grammar=Grammar("tree_sitter_kotlin"),
    outline=OutlineRules(
        definitions={
            "class_declaration": _find_class,
            "object_declaration": _find_object,
            "function_declaration": _find_function,
            "secondary_constructor": _find_constructor,
            "property_declaration": _find_property,
            "type_alias": _find_alias,
        },
        # The members of a companion are called on the class.
        through=frozenset({"companion_object", "class_body"}),
        leading=frozenset({"line_comment", "block_comment"}),
        imports={"import": _list_imports},
    ),
    graph=GraphRules(
        query=_QUERY,
        read_imports=_read_imports,
        bindings=_BINDINGS,
        scope=ScopeRules(folder_is_scope=True, self_is_implicit=True, classes_span_files=True),
    ),
)
