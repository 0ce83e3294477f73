"""Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .rules import CONSTANT, Found, Rules, field_text, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node


def _assignment(node: Node, source: bytes) -> Found | None:
    """`NAME = value` and `NAME: type = value`."""
    inner = node.named_child(0)
    if inner.type != "assignment":
        return None
    left = inner.child_by_field_name("left")
    return Found(CONSTANT, text_of(left, source), None) if left is not None and left.type == "identifier" else None


def _alias(node: Node, source: bytes) -> Found | None:
    """`type Name = …`."""
    name = field_text(node, source, "left").split("[", 1)[0].strip()
    return Found("type", name, None) if name else None


def _imports(node: Node, source: bytes) -> Iterator[str]:
    for child in node.named_children:
        yield field_text(child, source, "name") if child.type == "aliased_import" else text_of(child, source)


def _from(node: Node, source: bytes) -> Iterator[str]:
    yield field_text(node, source, "module_name")


RULES = Rules(
    module="tree_sitter_python",
    function="language",
    definitions={
        "function_definition": "function",
        "class_definition": "class",
        "expression_statement": _assignment,
        "type_alias_statement": _alias,
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
    imports={"import_statement": _imports, "import_from_statement": _from},
    line_comments=("#",),
    docstring=True,
)
