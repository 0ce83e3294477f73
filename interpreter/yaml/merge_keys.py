"""Merge keys of YAML, `<<: *defaults`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.interpreter.problems import codes

from .scalars import to_key_text

if TYPE_CHECKING:
    from aurora.interpreter.problems import Problem

    from .node import Node

Pairs = tuple[tuple["Node", "Node"], ...]


def expand_merge_keys(pairs: Pairs) -> tuple[Pairs, tuple[Problem, ...]]:
    """Replace every `<<` by the keys it merges; own keys win, then earlier ones.

    https://yaml.org/type/merge.html
    """
    if not any(_is_merge_key(key) for key, _ in pairs):
        return pairs, ()
    problems: list[Problem] = []
    present = {to_key_text(key.value) for key, _ in pairs if not _is_merge_key(key)}
    expanded: list[tuple[Node, Node]] = []
    for key, value in pairs:
        if not _is_merge_key(key):
            expanded.append((key, value))
            continue
        for source in value.children if value.kind == "list" else (value,):
            if source.kind != "map":
                problems.append(_make_merge_problem(source))
            expanded += _select_new_pairs(source, present)
    return tuple(expanded), tuple(problems)


def _select_new_pairs(source: Node, present: set[str]) -> list[tuple[Node, Node]]:
    """Select the pairs whose keys are not present, and add their keys to `present`."""
    selected = []
    for key, value in source.items:
        text = to_key_text(key.value)
        if text not in present:
            present.add(text)
            selected.append((key, value))
    return selected


def _make_merge_problem(source: Node) -> Problem:
    shape = "list in a list" if source.kind == "list" else "single value"
    message = f'"<<" merges a mapping or a list of mappings, not a {shape}'
    return codes.SYNTAX.make_problem(source.place, message, help="name an anchor, as in `<<: *defaults`")


def _is_merge_key(key: Node) -> bool:
    return key.value == "<<" and key.style == ""
