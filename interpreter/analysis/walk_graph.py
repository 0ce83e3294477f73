"""The graph of a workflow's walks: edges with bounds, and its components."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from aurora.interpreter.language import find_reachable, list_postorder

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


@dataclass(frozen=True, slots=True)
class WalkEdge:
    """An edge of a phase; after `most` uses of it, it leads to `instead`."""

    target: str | None
    most: int | None = None
    instead: str | None = None
    fails: bool = False


def select_reachable(start: str, ways: Mapping[str, Sequence[WalkEdge]]) -> dict[str, Sequence[WalkEdge]]:
    """Select the phases that a walk from the start can contain, with their edges."""
    reached = find_reachable([start], {name: list_targets(edges) for name, edges in ways.items()})
    return {name: edges for name, edges in ways.items() if name in reached}


def find_components(ways: Mapping[str, Sequence[WalkEdge]]) -> dict[str, int]:
    """Find the strongly connected components, by phase (Kosaraju's algorithm).

    They are numbered so that every edge between two of them leads to the greater number.
    """
    forward = {name: list_targets(edges) for name, edges in ways.items()}
    back = _reverse_edges(forward)
    order: list[str] = []
    seen: set[str] = set()
    for name in ways:
        order.extend(list_postorder(name, forward, seen))
    components: dict[str, int] = {}
    seen = set()
    for number, name in enumerate(reversed(order)):
        for member in list_postorder(name, back, seen):
            components[member] = number
    return components


def list_targets(edges: Iterable[WalkEdge]) -> list[str]:
    """List the phases that the edges lead to, with repetitions."""
    targets: list[str] = []
    for edge in edges:
        targets += [target for target in (edge.target, edge.instead) if target is not None]
    return targets


def _reverse_edges(forward: Mapping[str, Iterable[str]]) -> dict[str, list[str]]:
    back: dict[str, list[str]] = {name: [] for name in forward}
    for name, targets in forward.items():
        for target in targets:
            back[target].append(name)
    return back
