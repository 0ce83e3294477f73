"""`extends`: a workflow that is another one with patches, merged by phase id and key."""

from __future__ import annotations

from dataclasses import replace

from .source import Node

DEEP = frozenset({"phases", "inputs", "params", "with"})
"""Keys whose mappings merge key by key; every other key is replaced whole. A phase is merged by its id."""


def extend(base: Node, patch: Node) -> Node:
    """The base's tree with the patch's keys in place of its own; a null in the patch takes a key out.

    Every node keeps the place it was written at, so a problem points into the right file.
    """
    without = replace(patch, items=tuple((key, value) for key, value in patch.items if key.value != "extends"))
    return _merged(base, without, path=())


def _merged(base: Node, patch: Node, path: tuple[str, ...]) -> Node:
    patches = {str(key.value): (key, value) for key, value in patch.items}
    items: list[tuple[Node, Node]] = []
    for key, value in base.items:
        name = str(key.value)
        if name not in patches:
            items.append((key, value))
            continue
        new_key, new = patches.pop(name)
        if _removes(new, path):
            continue
        deep = new.kind == "map" and value.kind == "map" and _is_deep(name, path)
        items.append((new_key, _merged(value, new, (*path, name)) if deep else new))
    items.extend((key, value) for key, value in patches.values() if not _removes(value, path))
    return Node("map", patch.place, items=tuple(items), size=1 + sum(k.size + v.size for k, v in items))


def _removes(value: Node, path: tuple[str, ...]) -> bool:
    inside_settings = bool(path) and path[-1] == "params"
    return value.kind == "scalar" and value.value is None and value.style == "" and not inside_settings


def _is_deep(name: str, path: tuple[str, ...]) -> bool:
    is_phase = path == ("phases",)
    is_input = len(path) == 3 and path[-1] == "inputs"  # noqa: PLR2004 - phases, PHASE, inputs
    inside_params = "params" in path
    return is_phase or is_input or inside_params or name in DEEP
