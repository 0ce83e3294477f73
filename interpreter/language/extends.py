"""`extends`: a workflow that patches another one, merged by phase id and key."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.interpreter.problems import codes, did_you_mean
from aurora.interpreter.yaml import make_map, to_key_text

from .build import EXTENDS, report_unexpected_key, suggest_key
from .model import Workflow
from .placement import AFTER, place_phases

if TYPE_CHECKING:
    from aurora.interpreter.problems import Problem
    from aurora.interpreter.yaml import Node

DEEP_KEYS = frozenset({"inputs", "params", "with", "branches"})
"""Keys of a phase whose mappings merge key by key; other keys are replaced. Phases and inputs merge by name."""

MEMBER_WORDS = {("phases",): "phase", ("phases", "*", "inputs"): "input", ("phases", "*", "with"): "argument"}
"""Words for the members of a mapping from which only an existing member can be removed."""


def correct_extends(root: Node) -> tuple[Node, tuple[Problem, ...]]:
    """Rename the key that most likely means `extends`, and report it; the base has the rest."""
    if root.kind != "map" or root.get(EXTENDS) is not None:
        return root, ()
    names = [to_key_text(key.value) for key, _ in root.items]
    wrong = next((name for name in names if _means_extends(name)), None)
    if wrong is None:
        return root, ()
    items = (
        (key._replace(value=EXTENDS) if name == wrong else key, value)
        for name, (key, value) in zip(names, root.items, strict=True)
    )
    return make_map(root.place, tuple(items)), (report_unexpected_key(root, (wrong,)),)


def _means_extends(name: str) -> bool:
    return name not in Workflow.model_fields and suggest_key((name,)) == EXTENDS


def apply_patch(base: Node, patch: Node) -> tuple[Node, tuple[Problem, ...]]:
    """Merge a patch into its base, and report what it patches in vain.

    A null in the patch removes a key; in `params` it is the value null. A phase with `after` is placed behind another
    one. Every node keeps its place, so a problem refers to the right file.
    """
    without = make_map(patch.place, tuple((key, value) for key, value in patch.items if key.value != EXTENDS))
    extending = _PatchMerge()
    tree, problems = place_phases(base, patch, extending.merge_nodes(base, without, ()))
    return tree, (*extending.problems, *problems)


class _PatchMerge:
    """One merge and its problems."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []

    def merge_nodes(self, base: Node, patch: Node, path: tuple[str, ...]) -> Node:
        patches = {to_key_text(key.value): (key, value) for key, value in patch.items}
        items: list[tuple[Node, Node]] = []
        for key, value in base.items:
            name = to_key_text(key.value)
            if name not in patches:
                items.append((key, value))
                continue
            new_key, new = patches.pop(name)
            if _is_removal(new, path):
                continue
            deep = new.kind == "map" and value.kind == "map" and _is_deep(name, path)
            items.append((new_key, self.merge_nodes(value, new, (*path, name)) if deep else new))
        items.extend(pair for pair in patches.values() if self._accept_new_key(pair, base, path))
        return make_map(patch.place, tuple(items))

    def _accept_new_key(self, pair: tuple[Node, Node], base: Node, path: tuple[str, ...]) -> bool:
        """Report and drop a new key that can only have meant one of the base's."""
        key, value = pair
        name = to_key_text(key.value)
        kind = MEMBER_WORDS.get(tuple("*" if index == 1 else part for index, part in enumerate(path)))
        removes = _is_removal(value, path)
        is_led = value.kind == "map" and (value.get("next_action") is not None or value.get(AFTER) is not None)
        fragment = kind == "phase" and value.kind == "map" and not is_led
        if kind is not None and (removes or fragment):
            what = "to remove" if removes else 'to patch, and by itself it lacks "next_action"'
            names = [to_key_text(other.value) for other, _ in base.items]
            message = f'"{name}" is no {kind} of the extended workflow: there is nothing {what}'
            self.problems.append(codes.PATCHES_NOTHING.make_problem(key.place, message, help=did_you_mean(name, names)))
            return False
        return not removes


def _is_removal(value: Node, path: tuple[str, ...]) -> bool:
    return value.kind == "scalar" and value.value is None and "params" not in path


def _is_deep(name: str, path: tuple[str, ...]) -> bool:
    match path:
        case ("phases",) | (_, _, "inputs" | "branches"):
            return True
        case ():
            return name in {"phases", "vars", "output"}
        case _:
            return "params" in path or name in DEEP_KEYS
