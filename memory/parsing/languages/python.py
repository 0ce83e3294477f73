"""Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .rules import CONSTANT, FoundDefinition, Rules, read_field, read_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node


def _find_assignment(node: Node, source: bytes) -> FoundDefinition | None:
    """`NAME = value` and `NAME: type = value`."""
    inner = node.named_child(0)
    if inner.type != "assignment":
        return None
    left = inner.child_by_field_name("left")
    return (
        FoundDefinition(CONSTANT, read_text(left, source), None)
        if left is not None and left.type == "identifier"
        else None
    )


def _find_type_alias(node: Node, source: bytes) -> FoundDefinition | None:
    """`type Name = …`."""
    name = read_field(node, source, "left").split("[", 1)[0].strip()
    return FoundDefinition("type", name, None) if name else None


def _read_imports(node: Node, source: bytes) -> Iterator[str]:
    for child in node.named_children:
        yield read_field(child, source, "name") if child.type == "aliased_import" else read_text(child, source)


def _read_from_import(node: Node, source: bytes) -> Iterator[str]:
    yield read_field(node, source, "module_name")


RULES = Rules(
    module="tree_sitter_python",
    function="language",
    definitions={
        "function_definition": "function",
        "class_definition": "class",
        "expression_statement": _find_assignment,
        "type_alias_statement": _find_type_alias,
    },
    wraps=frozenset({"decorated_definition"}),
    through=frozenset(
        {
            "if_statement",
            "elif_clause",
            "else_clause",
            "try_statement",
            "except_clause",
            "finally_clause",
            "with_statement",
            "block",
        }
    ),
    imports={"import_statement": _read_imports, "import_from_statement": _read_from_import},
    line_comments=("#",),
    docstring=True,
)
