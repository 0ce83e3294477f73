"""Visits of phases: what has begun, or is written, whenever another begins."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from math import inf
from typing import TYPE_CHECKING

from aurora.interpreter.language.definition import find_reachable
from aurora.interpreter.language.model import END

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .view import WorkflowView


@lru_cache(maxsize=1)
def has_known_targets(view: WorkflowView) -> bool:
    """Return whether every target exists; a misspelt one makes the paths unknown."""
    targets = [view.definition.workflow.on_error, *(phase.on_error for phase in view.phases.values())]
    for _, _, rule, _ in view.rules:
        targets += [rule.then, rule.else_]
    return all(view.is_known_target(target) for target in targets if target)


def is_always_written(view: WorkflowView, phase: str, place: str) -> bool:
    """Return whether `phase` has written its values, and not failed since, when `place` begins."""
    is_done = is_always_begun(view, _to_success_node(phase), place)
    return is_done and not may_have_failed(view, phase, place)


def may_have_failed(view: WorkflowView, phase: str, place: str) -> bool:
    """Return whether a path leads from a failure of `phase` to `place`, without a later success of it."""
    return place in _find_places_after_failure(view, phase)


def _find_places_after_failure(view: WorkflowView, phase: str) -> frozenset[str]:
    """Find the phases to which a path leads from an empty-handed visit of `phase`, and no success."""
    known = _know_paths(view)
    if phase not in known.places:
        targets = known.failures.get(phase, ())
        # Without the edges of a success: what lies behind one has the values that the success wrote.
        edges = {**_list_edges(view), _to_success_node(phase): []} if targets else {}
        known.places[phase] = frozenset(find_reachable(targets, edges))
    return known.places[phase]


def is_never_begun(view: WorkflowView, phase: str, place: str) -> bool:
    """Return whether no path leads from `phase` to `place`: nothing of it is there then."""
    known = _know_paths(view).after
    if phase not in known:
        known[phase] = frozenset(find_reachable(_list_edges(view)[phase], _list_edges(view)))
    return place not in known[phase]


def is_always_begun(view: WorkflowView, phase: str, place: str) -> bool:
    """Return whether every path to `place` contains `phase`, even if it fails or is skipped there.

    False if no path leads to `place`. One search that leaves the phase out answers for all places; a dominator tree
    took 60 lines to save a millisecond.
    """
    known, edges = _know_paths(view).around, _list_edges(view)
    start = view.resolve_target(view.definition.workflow.start) or ""
    for left_out in ("", phase):
        if left_out not in known:
            without = {**edges, left_out: []} if left_out else edges
            known[left_out] = frozenset(find_reachable([start], without) if start in edges else ()) - {left_out}
    return phase != place and place in known[""] and place not in known[phase]


@dataclass(frozen=True, slots=True)
class _Paths:
    """Findings about the paths of a workflow.

    Attributes:
        failures: the targets of the failures of each phase.
        places: by phase, the places to which a path leads from its failure, and no success.
        after: by phase, the places to which a path leads from it.
        around: by node, the places to which a path leads from the start without it; of an empty node all.
    """

    failures: Mapping[str, list[str]]
    places: dict[str, frozenset[str]] = field(default_factory=dict)
    after: dict[str, frozenset[str]] = field(default_factory=dict)
    around: dict[str, frozenset[str]] = field(default_factory=dict)


@lru_cache(maxsize=1)
def _know_paths(view: WorkflowView) -> _Paths:
    failures: dict[str, list[str]] = {}
    for transition in (*view.transitions, *view.skips):
        if transition.is_empty_handed and transition.target is not None:
            failures.setdefault(transition.source, []).append(transition.target)
    return _Paths(failures)


@lru_cache(maxsize=1)
def _list_edges(view: WorkflowView) -> Mapping[str, list[str]]:
    """List the edges between the beginnings of phases, through the success of each where it needs one."""
    edges: dict[str, list[str]] = {}
    for name in view.phases:
        edges[name] = [_to_success_node(name)]
        edges[_to_success_node(name)] = []
    edges[END] = []
    for transition in (*view.transitions, *view.skips):
        source = transition.source if transition.is_empty_handed else _to_success_node(transition.source)
        edges[source].append(transition.target or END)
    return edges


def _to_success_node(phase: str) -> str:
    return f"{phase} done"  # no id contains a space


def find_visit_limit(view: WorkflowView, phase: str) -> float:
    """Bound the visits of a phase in one run; infinite where a rule without a `max` leads back to it.

    A run enters a set of phases that lead to each other once, and takes a rule at most `max` times.
    """
    edges = [edge for edge in (*view.transitions, *view.skips) if edge.target == phase]
    around = [edge for edge in edges if edge.source == phase or not is_never_begun(view, phase, edge.source)]
    is_entered = view.resolve_target(view.definition.workflow.start) == phase or len(around) < len(edges)
    limits = [view.phases[edge.source].next_action[edge.rule].max for edge in around if edge.rule is not None]
    is_bounded = all(edge.bounded and edge.rule is not None for edge in around)
    return is_entered + sum(limit or inf for limit in limits) if is_bounded else inf
