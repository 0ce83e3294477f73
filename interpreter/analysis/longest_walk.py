"""Longest walk: the greatest sum of weights on any walk, exact or as a bound."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .loop_flow import EXIT, Arc, LoopNetwork, SearchBudget
from .walk_graph import find_components, select_reachable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from .walk_graph import WalkEdge

MAX_VISITS = 60_000
"""The most nodes that all searches for one figure visit, some 5 µs each."""


@dataclass(frozen=True, slots=True)
class WalkWeights:
    """The weights of a walk, none of them negative: of a visit to a phase, and of an end after it."""

    visit: Callable[[str], int]
    end: Callable[[str], int] = lambda _: 0


@dataclass(frozen=True, slots=True)
class WalkLength:
    """The greatest length of a walk; `is_exact` when a walk of this length exists."""

    length: int
    is_exact: bool


def measure_longest_walk(start: str, ways: Mapping[str, Sequence[WalkEdge]], weights: WalkWeights) -> WalkLength | None:
    """Measure the greatest sum of weights on a walk; None when there is no bound.

    Args:
        start: the first phase.
        ways: by phase, its edges.
        weights: the weights of phases.
    """
    reached = select_reachable(start, ways)
    components = find_components(reached)
    members: dict[int, list[str]] = {}
    for name, number in components.items():
        members.setdefault(number, []).append(name)
    entered = _find_entries(start, reached, components)
    known: dict[str, WalkLength] = {}
    budget = SearchBudget(MAX_VISITS)
    for number in sorted(members, reverse=True):
        names = members[number]
        network = LoopNetwork([arc for name in names for arc in _list_arcs(name, reached, set(names), known, weights)])
        if network.has_unbounded_cycle():
            return None
        for name in names:
            if name in entered:
                gain, is_exact = network.measure_gain(name, budget)
                known[name] = WalkLength(weights.visit(name) + gain, is_exact)
    return known[start]


def _find_entries(start: str, ways: Mapping[str, Sequence[WalkEdge]], components: Mapping[str, int]) -> set[str]:
    """Find the phases by which a walk enters their component."""
    entries = {start}
    for name, edges in ways.items():
        for edge in edges:
            for target in (edge.target, edge.instead):
                if target is not None and components[target] != components[name]:
                    entries.add(target)
    return entries


def _list_arcs(
    name: str,
    ways: Mapping[str, Sequence[WalkEdge]],
    inside: set[str],
    known: Mapping[str, WalkLength],
    weights: WalkWeights,
) -> Iterator[Arc]:
    """Yield the arcs of a phase, with one to the exit for a phase without any."""

    def make_arc(target: str | None, most: int | None = None, after: Arc | None = None) -> Arc:
        if target is None:
            return Arc(name, EXIT, weights.end(name), after=after)
        if target in inside:
            return Arc(name, target, weights.visit(target), most, after)
        return Arc(name, EXIT, known[target].length, after=after, is_exact=known[target].is_exact)

    for edge in ways[name]:
        is_loop = edge.most is not None and edge.target in inside
        arc = make_arc(edge.target, edge.most)
        yield arc
        if is_loop:  # an edge that leaves the component is taken once, so it is never used up
            yield make_arc(edge.instead, after=arc)
    if not ways[name]:
        yield make_arc(None)
