"""Bounds of the walks through a workflow: the greatest length, and the number of walks.

Both are bounds: they take each loop by itself, and forget what an earlier round of it used up. To find the walk that
reaches a bound, or to prove that there is none, took a flow network and a search of states, for one word more in the
output; a bound is what decides whether a workflow is affordable.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from aurora.interpreter.language.definition import find_reachable, list_postorder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    Ways = Mapping[str, Sequence["WalkEdge"]]

MAX_WALKS = 1_000_000
"""The most walks that are counted; a reader takes away no more from a greater number."""


MAX_STATES = 200_000
"""The most edges times rounds of one loop that the count looks at, some 0.5 µs each."""


@dataclass(frozen=True, slots=True)
class WalkEdge:
    """An edge of a phase; after `most` uses of it, it leads to `instead`."""

    target: str | None
    most: int | None = None
    instead: str | None = None
    fails: bool = False


def bound_longest_walk(
    start: str, ways: Ways, visit: Callable[[str], int], end: Callable[[str], int] = lambda _: 0
) -> int | None:
    """Bound the greatest sum of weights on a walk; None when there is no bound.

    Args:
        start: the first phase.
        ways: by phase, its edges.
        visit: the weight of a visit to a phase; never negative.
        end: the weight of an end after a phase; never negative.
    """
    ahead: dict[str, int] = {}  # by phase, what may follow a visit of it

    def measure(name: str, target: str | None) -> int:
        return end(name) if target is None else visit(target) + ahead[target]

    for loop in _list_loops(start, ways):
        if loop.order is None:
            return None
        for name in loop.order:
            targets = [*loop.free[name], *(edge.instead for edge in loop.limited[name])]
            ahead[name] = max((measure(name, target) for target in targets), default=end(name))
        # A bounded edge gains when a walk with one more use of it is longer than the best way without it. All of them
        # are used in full, whether one walk can do that or not.
        gains = [
            (measure(name, edge.target) - ahead[name]) * (edge.most or 0)
            for name in loop.order
            for edge in loop.limited[name]
        ]
        rounds = sum(gain for gain in gains if gain > 0)
        for name in loop.order:
            ahead[name] += rounds
    return visit(start) + ahead[start]


def bound_walks(start: str, ways: Ways) -> int | None:
    """Bound the number of walks without failures; None above a million, or when there is no bound.

    It is the number itself where no loop has more than one bounded edge.
    """
    counts: dict[str, int] = {}
    for loop in _list_loops(start, drop_failures(ways)):
        found = _count_walks(loop, counts)
        if found is None or max(found.values()) > MAX_WALKS:
            return None
        counts.update(found)
    return counts[start]


def drop_failures(ways: Ways) -> dict[str, Sequence[WalkEdge]]:
    """Drop the edges that only a failure takes."""
    return {name: tuple(filter(lambda edge: not edge.fails, edges)) for name, edges in ways.items()}


def list_targets(edges: Iterable[WalkEdge]) -> list[str]:
    """List the phases that the edges lead to, with repetitions."""
    targets = [target for edge in edges for target in (edge.target, edge.instead)]
    return [target for target in targets if target is not None]


@dataclass(frozen=True, slots=True)
class _Loop:
    """A strongly connected component: phases that lead to each other, or one phase outside of every loop.

    Attributes:
        names: its phases.
        free: by phase, the targets of the edges that a walk may take without a limit. An edge that leaves the loop is
            one of them: it is taken once, and so never used up.
        limited: by phase, the bounded edges to a phase of the loop.
        order: its phases, each after those of the loop that its free edges lead to; None when those go around.
    """

    names: frozenset[str]
    free: Mapping[str, Sequence[str | None]]
    limited: Mapping[str, Sequence[WalkEdge]]
    order: Sequence[str] | None


def _list_loops(start: str, ways: Ways) -> list[_Loop]:
    """List the loops that a walk can reach, each after those that it leads to (Kosaraju's algorithm)."""
    forward = {name: list_targets(ways[name]) for name in ways}
    reached = find_reachable([start], forward)
    back: dict[str, list[str]] = {name: [] for name in reached}
    for name in reached:
        for target in forward[name]:
            back[target].append(name)
    seen: set[str] = set()
    order = list_postorder(start, forward, set())
    found = [names for name in reversed(order) if (names := list_postorder(name, back, seen))]
    return [_build_loop(names, ways) for names in reversed(found)]


def _build_loop(names: Sequence[str], ways: Ways) -> _Loop:
    inside = frozenset(names)
    free: dict[str, list[str | None]] = {}
    limited: dict[str, list[WalkEdge]] = {}
    inner: dict[str, list[str]] = {}
    for name in names:
        # A limit that leads out of the loop is used once at most, so it is an edge like any other.
        limited[name] = [edge for edge in ways[name] if edge.most is not None and edge.target in inside]
        free[name] = [edge.target for edge in ways[name] if edge not in limited[name]]
        ahead = [*free[name], *(edge.instead for edge in limited[name])]
        inner[name] = [target for target in ahead if target is not None and target in inside]
    return _Loop(inside, free, limited, _order_phases(inner))


def _order_phases(edges: Mapping[str, Sequence[str]]) -> list[str] | None:
    """Order phases, each after those that its edges lead to; None when edges go around."""
    seen: set[str] = set()
    order = [name for one in edges for name in list_postorder(one, edges, seen)]
    at = {name: number for number, name in enumerate(order)}
    return None if any(at[target] >= at[name] for name in edges for target in edges[name]) else order


def _count_walks(loop: _Loop, after: Mapping[str, int]) -> dict[str, int] | None:
    """Bound the walks from a loop by the uses that all its bounded edges together have left.

    One counter for each edge would be exact, and its states are too many where loops lie within loops.
    """
    total = sum(edge.most or 0 for edges in loop.limited.values() for edge in edges)
    edges = sum(len(loop.free[name]) + len(loop.limited[name]) for name in loop.names)
    if loop.order is None or (total + 1) * edges > MAX_STATES:
        return None
    counts: dict[str, int] = {}
    for left in range(total + 1):
        counts = _count_round(loop, after, counts, total - left)
    return counts


def _count_round(loop: _Loop, after: Mapping[str, int], fewer: Mapping[str, int], used: int) -> dict[str, int]:
    """Count the walks from each phase when so many uses are gone, by those with one use fewer left."""
    counts: dict[str, int] = {}
    for name in loop.order or ():
        again = sum(fewer.get(str(edge.target), 0) for edge in loop.limited[name])
        spent = [edge.instead for edge in loop.limited[name] if used >= (edge.most or 0)]  # it may be used up
        for target in (*loop.free[name], *spent):
            again += 1 if target is None else counts[target] if target in loop.names else after[target]
        # Cut at once: the number of walks can grow with each phase to one of thousands of digits.
        counts[name] = min(again, MAX_WALKS + 1)
    return counts
