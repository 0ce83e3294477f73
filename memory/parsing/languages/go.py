"""Go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .rules import CONSTANT, FoundDefinition, Rules, normalize_name, read_field, read_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

_TYPE_KINDS = {"struct_type": "struct", "interface_type": "interface"}


def _find_method(node: Node, source: bytes) -> FoundDefinition | None:
    """`func (s *Server[T]) Serve()` is `Server.Serve`."""
    receiver = read_field(node, source, "receiver").strip("() ").split("[", 1)[0].replace("*", " ").split()
    name = ".".join([*receiver[-1:], read_field(node, source, "name")])
    return FoundDefinition("method", name, node.child_by_field_name("body"))


def _find_type(node: Node, source: bytes) -> FoundDefinition | None:
    """`type Name struct …`."""
    inner = node.child_by_field_name("type")
    kind = _TYPE_KINDS.get(inner.type, "type") if inner is not None else "type"
    return FoundDefinition(kind, normalize_name(read_field(node, source, "name")), None)


def _find_type_declaration(node: Node, source: bytes) -> FoundDefinition | None:
    """One type takes its whole declaration; a group in brackets is looked into."""
    specs = [child for child in node.named_children if child.type in {"type_spec", "type_alias"}]
    return _find_type(specs[0], source) if len(specs) == 1 else None


def _find_values(node: Node, source: bytes) -> FoundDefinition | None:
    """`const` and `var`, alone or as a group that is called by its first name."""
    specs = [child for child in node.named_children if child.type.endswith("_spec")]
    for group in node.named_children:
        if group.type == "var_spec_list":
            specs.extend(group.named_children)
    names = [name for spec in specs if (name := read_field(spec, source, "name"))]
    return FoundDefinition(CONSTANT, names[0], None, tuple(names[1:])) if names else None


def _read_imports(node: Node, source: bytes) -> Iterator[str]:
    yield from read_text(node, source).split('"')[1::2]


RULES = Rules(
    module="tree_sitter_go",
    function="language",
    definitions={
        "function_declaration": "function",
        "method_declaration": _find_method,
        "type_declaration": _find_type_declaration,
        "type_spec": _find_type,
        "type_alias": _find_type,
        "const_declaration": _find_values,
        "var_declaration": _find_values,
    },
    through=frozenset({"type_declaration"}),
    imports={"import_declaration": _read_imports},
)
