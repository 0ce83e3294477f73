"""Visits of phases: what has begun, or is written, whenever another begins, and how often."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from math import inf
from typing import TYPE_CHECKING

from aurora.interpreter.language.definition import find_reachable, list_postorder
from aurora.interpreter.language.model import END

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .view import Transition, WorkflowView

_MAX_DEPTH = 50
"""The most phases one after the other that are looked at; beyond, there is no limit."""


@lru_cache(maxsize=1)
def has_known_targets(view: WorkflowView) -> bool:
    """Return whether every target exists; a misspelt one makes the paths unknown."""
    targets = [view.definition.workflow.on_error, *(phase.on_error for phase in view.phases.values())]
    for _, _, rule, _ in view.rules():
        targets += [rule.then, rule.else_]
    return all(view.is_known_target(target) for target in targets if target)


def is_always_begun(view: WorkflowView, phase: str, place: str) -> bool:
    """Return whether every path to `place` contains `phase`, even if it fails or is skipped there."""
    return _build_success_dominators(view).is_dominator(phase, place)


def is_always_written(view: WorkflowView, phase: str, place: str) -> bool:
    """Return whether `phase` has written its values, and not failed since, when `place` begins."""
    done = _to_success_node(phase)
    if not _build_success_dominators(view).is_dominator(done, place):
        return False
    return place not in _find_places_after_failure(view, phase)


def may_have_failed(view: WorkflowView, phase: str, place: str) -> bool:
    """Return whether a path leads from a failure of `phase` to `place`, without a later success of it."""
    return place in _find_places_after_failure(view, phase)


def _find_places_after_failure(view: WorkflowView, phase: str) -> frozenset[str]:
    """Find the phases to which a path leads from an empty-handed visit of `phase`, and no success."""
    known = _collect_failures(view)
    if phase not in known.places:
        targets = known.targets.get(phase, ())
        edges = {**_list_edges(view), _to_success_node(phase): []} if targets else {}
        known.places[phase] = frozenset(find_reachable(targets, edges))
    return known.places[phase]


def is_never_begun(view: WorkflowView, phase: str, place: str) -> bool:
    """Return whether no path leads from `phase` to `place`: nothing of it is there then."""
    known = _collect_followers(view)
    if phase not in known:
        known[phase] = frozenset(find_reachable(_list_edges(view)[phase], _list_edges(view)))
    return place not in known[phase]


@lru_cache(maxsize=1)
def _collect_followers(view: WorkflowView) -> dict[str, frozenset[str]]:
    """Create the memory of the phases that follow each phase."""
    del view
    return {}


@dataclass(frozen=True, slots=True)
class _Failures:
    """The targets of the failures of each phase, and the places that were found from there."""

    targets: Mapping[str, list[str]]
    places: dict[str, frozenset[str]] = field(default_factory=dict)


@lru_cache(maxsize=1)
def _collect_failures(view: WorkflowView) -> _Failures:
    targets: dict[str, list[str]] = {}
    for transition in (*view.transitions(), *view.skips()):
        if transition.is_empty_handed and transition.target is not None:
            targets.setdefault(transition.source, []).append(transition.target)
    return _Failures(targets)


@lru_cache(maxsize=1)
def _build_success_dominators(view: WorkflowView) -> DominatorTree:
    """Build the dominators over the beginning and the success of each phase."""
    return DominatorTree(view.resolve_target(view.definition.workflow.start) or "", _list_edges(view))


@lru_cache(maxsize=1)
def _list_edges(view: WorkflowView) -> Mapping[str, list[str]]:
    """List the edges between the beginnings of phases, through the success of each where it needs one."""
    edges: dict[str, list[str]] = {}
    for name in view.phases:
        edges[name] = [_to_success_node(name)]
        edges[_to_success_node(name)] = []
    edges[END] = []
    for transition in (*view.transitions(), *view.skips()):
        source = transition.source if transition.is_empty_handed else _to_success_node(transition.source)
        edges[source].append(transition.target or END)
    return edges


def _to_success_node(phase: str) -> str:
    return f"{phase} done"  # no id contains a space


def find_visit_limit(view: WorkflowView, phase: str) -> float:
    """Find the most visits of a phase in one run; infinite where nothing limits them.

    A run enters a set of phases that lead to each other once, and takes a rule at most `max` times.
    """
    return _count_entries(view, phase, frozenset())


def _count_entries(view: WorkflowView, phase: str, above: frozenset[str]) -> float:
    if phase in above or len(above) > _MAX_DEPTH:
        return inf
    entering = _map_entries(view).get(phase, ())
    around = [edge for edge in entering if _is_repeated(view, edge.source, phase)]
    is_first = view.resolve_target(view.definition.workflow.start) == phase or len(around) < len(entering)
    most: float = 1 if is_first else 0
    for source in dict.fromkeys(edge.source for edge in around):
        limits = [_find_limit(view, edge) for edge in around if edge.source == source]
        most += sum(limits) if inf not in limits else _count_entries(view, source, above | {phase})
    return most


def _find_limit(view: WorkflowView, edge: Transition) -> float:
    """Find how often a run can take an edge by its own `max`."""
    if not edge.bounded or edge.rule is None:
        return inf
    return view.phases[edge.source].next_action[edge.rule].max or inf


def _is_repeated(view: WorkflowView, source: str, phase: str) -> bool:
    """Return whether a path leads from the phase back to the source of an edge to it."""
    return source == phase or not is_never_begun(view, phase, source)


@lru_cache(maxsize=1)
def _map_entries(view: WorkflowView) -> Mapping[str, list[Transition]]:
    entries: dict[str, list[Transition]] = {}
    for edge in (*view.transitions(), *view.skips()):
        if edge.target is not None:
            entries.setdefault(edge.target, []).append(edge)
    return entries


class DominatorTree:
    """The dominator tree of a graph, with queries in constant time."""

    def __init__(self, start: str, edges: Mapping[str, Sequence[str]]) -> None:
        order = list_postorder(start, edges, set())
        self._postorder_numbers = {name: number for number, name in enumerate(order)}
        before: dict[str, list[str]] = {}
        for name in order:
            for target in edges.get(name, ()):
                before.setdefault(target, []).append(name)
        self._immediate_dominators = self._find_immediate_dominators(start, order, before)
        self._tree_intervals = self._number_tree(start, order)

    def is_dominator(self, over: str, place: str) -> bool:
        """Return whether every path to `place` contains `over`; false if either is unreachable."""
        if over not in self._tree_intervals or place not in self._tree_intervals or over == place:
            return False
        first, last = self._tree_intervals[over]
        return first < self._tree_intervals[place][0] <= last

    def _find_immediate_dominators(
        self, start: str, order: Sequence[str], before: Mapping[str, Sequence[str]]
    ) -> dict[str, str]:
        above = {start: start}
        changed = True
        while changed:
            changed = False
            for name in reversed(order[:-1]):
                known = [one for one in before[name] if one in above]
                nearest = known[0]
                for one in known[1:]:
                    nearest = self._find_common_dominator(nearest, one, above)
                changed |= above.get(name) != nearest
                above[name] = nearest
        return above

    def _find_common_dominator(self, one: str, other: str, above: Mapping[str, str]) -> str:
        while one != other:
            while self._postorder_numbers[one] < self._postorder_numbers[other]:
                one = above[one]
            while self._postorder_numbers[other] < self._postorder_numbers[one]:
                other = above[other]
        return one

    def _number_tree(self, start: str, order: Sequence[str]) -> dict[str, tuple[int, int]]:
        """Return the preorder number of each node and the last number in its subtree."""
        below: dict[str, list[str]] = {}
        for name in order:
            if name != start:
                below.setdefault(self._immediate_dominators[name], []).append(name)
        first: dict[str, int] = {}
        last: dict[str, int] = {}
        todo: list[tuple[str, bool]] = [(start, False)]
        while todo:
            name, left = todo.pop()
            if left:
                last[name] = len(first) - 1
                continue
            first[name] = len(first)
            todo.append((name, True))
            todo.extend((one, False) for one in below.get(name, ()))
        return {name: (first[name], last[name]) for name in first}
