"""Access to the syntax tree of a JMESPath expression."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

Tree = dict[str, Any]


def to_field_path(tree: Tree) -> tuple[str, ...] | None:
    """Return `a.b.c` as names from the root, or None for any other tree."""
    if tree["type"] == "field":
        return (tree["value"],)
    if tree["type"] != "subexpression":
        return None
    names: list[str] = []
    for child in tree["children"]:
        part = (child["value"],) if child["type"] == "field" else to_field_path(child)
        if part is None:
            return None
        names += part
    return tuple(names)


def is_bare_null(tree: Tree) -> bool:
    """Return whether this is `null` without backticks: an absent field, and so null."""
    return bool(tree["type"] == "field" and tree["value"] == "null")


def find_root_paths(tree: Tree) -> Iterator[tuple[str, ...]]:
    """Find every path that starts at the root of the scope, not in a projection; `null` reads nothing."""
    if is_bare_null(tree):
        return
    path = to_field_path(tree)
    if path is not None:
        yield path
        return
    kind = tree["type"]
    children = tree["children"]
    if kind in ("subexpression", "index_expression", "projection", "value_projection", "filter_projection", "pipe"):
        head = _find_plain_prefix(tree)
        if head:
            yield head
        elif children:
            yield from find_root_paths(children[0])
        return
    if kind in ("literal", "identity", "current", "expref"):
        return
    for child in children:
        yield from find_root_paths(child)


def _find_plain_prefix(tree: Tree) -> tuple[str, ...]:
    """Find the plain names at the start of a path: `a.b` of `a.b[0].c`."""
    path = to_field_path(tree)
    if path is not None:
        return path
    if tree["type"] == "subexpression":
        left = _find_plain_prefix(tree["children"][0])
        plain = to_field_path(tree["children"][0]) is not None
        right = to_field_path(tree["children"][1]) if plain else None
        return (*left, *(right or ()))
    if tree["type"] in ("index_expression", "projection", "value_projection", "filter_projection", "flatten", "pipe"):
        return _find_plain_prefix(tree["children"][0])
    return ()


def iterate_root_nodes(tree: Tree) -> Iterator[Tree]:
    """Iterate over the nodes that are evaluated over the scope itself."""
    todo = [tree]
    while todo:
        node = todo.pop()
        yield node
        children = [child for child in node["children"] if isinstance(child, dict)]
        if node["type"] in RELATIVE_NODES:
            todo.extend(children[:1])
        elif node["type"] != "expref":
            todo.extend(children)


RELATIVE_NODES = frozenset(
    {"subexpression", "index_expression", "projection", "value_projection", "filter_projection", "flatten", "pipe"}
)


def walk_tree(tree: Tree) -> Iterator[Tree]:
    """Iterate over every node of the tree, the root first."""
    todo = [tree]
    while todo:
        node = todo.pop()
        yield node
        todo.extend(child for child in node["children"] if isinstance(child, dict))


def find_needed_items(part: Tree) -> Iterator[tuple[Tree, int]]:
    """Find the lists of which a part takes an item by its place, each with the items it needs."""
    children: list[Tree] = []
    for child in part["children"] if part["type"] == "subexpression" else [part]:
        if child["type"] == "index_expression" and child["children"][-1]["type"] == "index":
            index, inner = child["children"][-1]["value"], child["children"][0]
            listed = {"type": "subexpression", "children": [*children, inner]} if children else inner
            yield listed, index + 1 if index >= 0 else -index
        children.append(child)
