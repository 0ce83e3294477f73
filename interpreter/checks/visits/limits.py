"""Limits of visits: the most times that a run can enter a phase."""

from __future__ import annotations

from functools import lru_cache
from math import inf
from typing import TYPE_CHECKING

from .written import is_never_begun

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aurora.interpreter.checks.view import Transition, WorkflowView

_MAX_DEPTH = 50
"""The most phases one after the other that are looked at; beyond, there is no limit."""


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
