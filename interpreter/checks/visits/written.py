"""Written values: whether a phase has begun, or has written its values, whenever another begins."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

from aurora.interpreter.language import END, find_reachable

from .dominance import DominatorTree

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aurora.interpreter.checks.view import WorkflowView


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
