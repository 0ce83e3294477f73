"""C#."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.memory.model.graph import ImportBinding

from .java import BINDINGS
from .language import FoundDefinition, Grammar, GraphRules, Language, OutlineRules, ScopeRules, read_field, read_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

_QUERY = """
(invocation_expression function: (_) @call)
(object_creation_expression type: (_) @new)
(base_list (_) @base)
(using_directive) @import
(variable_declaration type: [(identifier) (generic_name) (implicit_type)]) @bind
(parameter type: [(identifier) (generic_name)]) @bind
"""


def _find_operator(node: Node, source: bytes) -> FoundDefinition | None:
    name = "operator" + read_field(node, source, "operator")
    return FoundDefinition("function", name, node.child_by_field_name("body"))


def _find_destructor(node: Node, source: bytes) -> FoundDefinition | None:
    return FoundDefinition("function", "~" + read_field(node, source, "name"), node.child_by_field_name("body"))


def _find_property(node: Node, source: bytes) -> FoundDefinition | None:
    return FoundDefinition("property", read_field(node, source, "name"), None)


def _list_usings(node: Node, source: bytes) -> Iterator[str]:
    name = read_text(node, source).split("=")[-1].strip(" ;\t\n")
    yield name.removeprefix("global ").removeprefix("using ").removeprefix("static ")


def _read_usings(text: str) -> Iterator[ImportBinding]:
    """Read `using A.B`, `using static A.B.C`, `using X = A.B.C`."""
    text = text.strip(" ;\t\n").removeprefix("global ").removeprefix("using").strip().removeprefix("static ").strip()
    alias, equals, name = text.partition("=")
    if equals:
        module, _, last = name.strip().rpartition(".")
        yield ImportBinding(module, last, alias.strip())
    elif text:
        yield ImportBinding(text, "*", "*")


CSHARP = Language(
    name="csharp",
    family="csharp",
    extensions=(".cs",),
    grammar=Grammar("tree_sitter_c_sharp"),
    outline=OutlineRules(
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
        through=frozenset(
            {"namespace_declaration", "file_scoped_namespace_declaration", "declaration_list", "preproc_if"}
        ),
        imports={"using_directive": _list_usings},
    ),
    graph=GraphRules(
        query=_QUERY,
        read_imports=_read_usings,
        bindings=BINDINGS,
        scope=ScopeRules(
            folder_is_scope=True, members_are_visible=True, self_is_implicit=True, classes_span_files=True
        ),
    ),
)
