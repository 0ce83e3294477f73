"""Repair of a structure whose mistakes are plain, so that the rest can be checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import ValidationError

from aurora.interpreter.yaml import make_list, make_map, to_key_text

from .build import MAX_STRUCTURAL_PROBLEMS, is_similar_to_phase, iterate_faults, suggest_key, suggest_name
from .model import Workflow

if TYPE_CHECKING:
    from collections.abc import Callable

    from aurora.interpreter.yaml import Node

    from .build import Loc

    Pair = tuple[Node, Node]

_PHASE_KEY_LENGTH = 2
_OPTIONAL_TEXTS = frozenset({"title", "description", "say", "suits", "hints"})
"""Keys on which no check depends."""
_LIMITS = frozenset({"max", "early_exit"})


@dataclass(frozen=True, slots=True)
class RepairedStructure:
    """The repaired tree, and False when something is left out on which paths depend."""

    root: Node
    connected: bool


def repair_structure(root: Node) -> RepairedStructure:
    """Rename misspelt keys and phases, and leave out wrong values that few checks need."""
    connected = True
    try:
        Workflow.model_validate(root.to_data())
    except ValidationError as error:
        if error.error_count() > MAX_STRUCTURAL_PROBLEMS:
            return RepairedStructure(root, connected=False)
        # An outer key that is renamed first would change the path of each fault below it.
        inner_first = sorted(iterate_faults(root, error), key=lambda fault: -len(fault[0]))
        for loc, kind in inner_first:
            edited = _repair_fault(root, loc, kind)
            connected &= edited is not root and (kind == "extra_forbidden" or loc[-1] not in _LIMITS)
            root = edited
    return RepairedStructure(root, connected)


def _repair_fault(root: Node, loc: Loc, kind: str) -> Node:
    """Repair one fault; return the same tree where the remedy is not plain."""
    key = loc[-1] if loc else 0
    if not isinstance(key, str):
        return root
    if kind == "extra_forbidden":
        return _repair_unknown_key(root, loc)
    if loc[0] == "phases" and len(loc) == _PHASE_KEY_LENGTH and kind == "string_pattern_mismatch":
        meant = suggest_name(key)
        return _edit_map(root, loc, lambda pair: (_rename_key(pair, meant),), meant) if meant else root
    if key == "max" and kind != "missing":
        return _edit_map(root, loc, _set_valid_limit)
    if key in _OPTIONAL_TEXTS | _LIMITS and kind != "missing":
        return _edit_map(root, loc, lambda _: ())
    return root


def _repair_unknown_key(root: Node, loc: Loc) -> Node:
    """Rename the key, or move the phase that it is, or remove it."""
    meant = suggest_key(loc)
    value = root.get(str(loc[0])) if len(loc) == 1 and meant is None else None
    if value is not None and is_similar_to_phase(value):
        return _move_below_phases(root, str(loc[0]))
    return _edit_map(root, loc, lambda pair: () if meant is None else (_rename_key(pair, meant),), meant)


def _move_below_phases(root: Node, name: str) -> Node:
    """Move a phase that is at the top of the file below `phases`, unless there is one of its name."""
    phases = root.get("phases")
    if phases is None or phases.kind != "map" or phases.get(name) is not None:
        return root
    moved = [pair for pair in root.items if to_key_text(pair[0].value) == name]
    rest = tuple(pair for pair in root.items if to_key_text(pair[0].value) != name)
    top = make_map(root.place, rest)
    return _edit_pair(top, "phases", lambda pair: ((pair[0], make_map(phases.place, (*phases.items, *moved[:1]))),))


def _set_valid_limit(pair: Pair) -> tuple[Pair, ...]:
    """Set a valid `max`: that the key is there is known."""
    # Any number will do: paths depend on whether a rule has a limit, and not on which.
    return ((pair[0], pair[1]._replace(value=1)),) if pair[1].kind == "scalar" else ()


def _rename_key(pair: Pair, new: str) -> Pair:
    return pair[0]._replace(value=new), pair[1]


def _edit_map(node: Node, loc: Loc, edit: Callable[[Pair], tuple[Pair, ...]], absent: str | None = None) -> Node:
    """Replace the pair at the path, unless its map has the key `absent`."""
    part = loc[0]
    if isinstance(part, int):
        if node.kind != "list":  # a short form: a rule without its list
            return _edit_map(node, loc[1:], edit, absent) if len(loc) > 1 else node
        children = list(node.children)
        children[part] = _edit_map(children[part], loc[1:], edit, absent)
        return node if children[part] is node.children[part] else make_list(node.place, children)
    if len(loc) > 1:
        return _edit_pair(node, part, lambda pair: ((pair[0], _edit_map(pair[1], loc[1:], edit, absent)),))
    return node if absent and node.get(absent) is not None else _edit_pair(node, part, edit)


def _edit_pair(node: Node, key: str, edit: Callable[[Pair], tuple[Pair, ...]]) -> Node:
    """Replace the pair of a key; return the same map when nothing changes."""
    if node.kind != "map" or (old := node.get(key)) is None:
        return node
    items: list[Pair] = []
    for pair in node.items:
        items.extend(edit(pair) if to_key_text(pair[0].value) == key else (pair,))
    changed = make_map(node.place, tuple(items))
    return node if changed.get(key) is old else changed
