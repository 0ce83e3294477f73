"""Traversals of the phase graph: reachable names, depth-first postorder."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping


def find_reachable(starts: Iterable[str], edges: Mapping[str, Collection[str]]) -> set[str]:
    """Return the starts and every name that a path leads to from one of them.

    Args:
        starts: where to begin.
        edges: by name, the names that its edges lead to; a name without edges may be left out.
    """
    reached: set[str] = set()
    stack = list(starts)
    while stack:
        name = stack.pop()
        if name not in reached:
            reached.add(name)
            stack.extend(edges.get(name, ()))
    return reached


def list_postorder(start: str, edges: Mapping[str, Collection[str]], seen: set[str]) -> list[str]:
    """List the names that a depth-first search reaches, in postorder.

    Args:
        start: where to begin; nothing is listed when it is in `seen`.
        edges: by name, the names that its edges lead to, in the order in which to follow them.
        seen: names to leave out; the search adds those that it reaches.
    """
    if start in seen:
        return []
    seen.add(start)
    order: list[str] = []
    stack = [(start, iter(edges.get(start, ())))]
    while stack:
        name, targets = stack[-1]
        target = next((candidate for candidate in targets if candidate not in seen), None)
        if target is None:
            order.append(name)
            stack.pop()
        else:
            seen.add(target)
            stack.append((target, iter(edges.get(target, ()))))
    return order
