"""Go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .rules import CONSTANT, Found, Rules, field_text, plain, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

_TYPES = {"struct_type": "struct", "interface_type": "interface"}


def _method(node: Node, source: bytes) -> Found | None:
    """`func (s *Server[T]) Serve()` is `Server.Serve`."""
    receiver = field_text(node, source, "receiver").strip("() ").split("[", 1)[0].replace("*", " ").split()
    name = ".".join([*receiver[-1:], field_text(node, source, "name")])
    return Found("method", name, node.child_by_field_name("body"))


def _type(node: Node, source: bytes) -> Found | None:
    """`type Name struct …`."""
    inner = node.child_by_field_name("type")
    kind = _TYPES.get(inner.type, "type") if inner is not None else "type"
    return Found(kind, plain(field_text(node, source, "name")), None)


def _types(node: Node, source: bytes) -> Found | None:
    """One type takes its whole declaration; a group in brackets is looked into."""
    specs = [child for child in node.named_children if child.type in {"type_spec", "type_alias"}]
    return _type(specs[0], source) if len(specs) == 1 else None


def _values(node: Node, source: bytes) -> Found | None:
    """`const` and `var`, alone or as a group that is called by its first name."""
    specs = [child for child in node.named_children if child.type.endswith("_spec")]
    for group in node.named_children:
        if group.type == "var_spec_list":
            specs.extend(group.named_children)
    names = [name for spec in specs if (name := field_text(spec, source, "name"))]
    return Found(CONSTANT, names[0], None, tuple(names[1:])) if names else None


def _imports(node: Node, source: bytes) -> Iterator[str]:
    yield from text_of(node, source).split('"')[1::2]


RULES = Rules(
    module="tree_sitter_go",
    function="language",
    definitions={
        "function_declaration": "function",
        "method_declaration": _method,
        "type_declaration": _types,
        "type_spec": _type,
        "type_alias": _type,
        "const_declaration": _values,
        "var_declaration": _values,
    },
    through=frozenset({"type_declaration"}),
    imports={"import_declaration": _imports},
)
