"""Java."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .rules import Rules, read_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node


def _read_import(node: Node, source: bytes) -> Iterator[str]:
    yield read_text(node, source).removeprefix("import").strip(" ;\t\n").removeprefix("static ").strip()


RULES = Rules(
    module="tree_sitter_java",
    function="language",
    definitions={
        "class_declaration": "class",
        "interface_declaration": "interface",
        "annotation_type_declaration": "interface",
        "enum_declaration": "enum",
        "record_declaration": "record",
        "method_declaration": "function",
        "constructor_declaration": "function",
        "compact_constructor_declaration": "function",
        "annotation_type_element_declaration": "function",
    },
    through=frozenset({"enum_body_declarations"}),
    leading=frozenset({"line_comment", "block_comment"}),
    imports={"import_declaration": _read_import},
)
