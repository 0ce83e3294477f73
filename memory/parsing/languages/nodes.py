"""Text and names of syntax nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .language import FoundDefinition

if TYPE_CHECKING:
    from tree_sitter import Node

    from .language import Finder


def read_text(node: Node | None, source: bytes) -> str:
    """Read the text of a node; empty for None."""
    return source[node.start_byte : node.end_byte].decode("utf-8", "replace") if node is not None else ""


def read_field(node: Node, source: bytes, name: str) -> str:
    """Read the text of a field of a node; empty when the field is missing."""
    return read_text(node.child_by_field_name(name), source)


def normalize_name(name: str) -> str:
    """Write a name as symbols have it: no generic arguments, dots between parts, no blanks."""
    for opening in "<[(":
        name = name.split(opening, 1)[0]
    return ".".join(part for part in name.replace("::", ".").split(".") if part).strip()


def make_finder(kind: str) -> Finder:
    """Make a finder of definitions with a qualified or generic name, `A::B` or `Foo<T>`."""

    def find_named(node: Node, source: bytes) -> FoundDefinition | None:
        name = normalize_name(read_field(node, source, "name"))
        return FoundDefinition(kind, name, node.child_by_field_name("body")) if name else None

    return find_named
