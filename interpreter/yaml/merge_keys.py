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
    own = {to_key_text(key.value) for key, _ in pairs if not _is_merge_key(key)}
    found: list[tuple[Node, Node]] = []
    for key, value in pairs:
        if not _is_merge_key(key):
            found.append((key, value))
            continue
        for source in value.children if value.kind == "list" else (value,):
            if source.kind != "map":
                shape = "list in a list" if source.kind == "list" else "single value"
                message = f'"<<" merges a mapping or a list of mappings, not a {shape}'
                problems.append(
                    codes.SYNTAX.make_problem(source.place, message, help="name an anchor, as in `<<: *defaults`")
                )
            for name, inner in source.items:
                if to_key_text(name.value) not in own:
                    own.add(to_key_text(name.value))
                    found.append((name, inner))
    return tuple(found), tuple(problems)


def _is_merge_key(key: Node) -> bool:
    return key.value == "<<" and key.style == ""
