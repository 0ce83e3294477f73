"""Paths to a phase on which a value is not written, if a run can surely take them."""

from __future__ import annotations

from collections import deque
from functools import lru_cache
from typing import TYPE_CHECKING

from aurora.interpreter.checks.expressions import collect_phase_sites, find_root_paths
from aurora.interpreter.checks.rules import analyse_rules, find_dead_rules

from .dominance import DominatorTree

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aurora.interpreter.checks.view import Transition, WorkflowView

TransitionPath = tuple["Transition", ...]


def find_path_avoiding(view: WorkflowView, phase: str, sources: frozenset[str]) -> TransitionPath | None:
    """Find the shortest path to `phase` on which none of `sources` succeeds, or None.

    A path is ignored when the values that decide one of its steps may depend on another of its steps.
    """
    start = view.resolve_target(view.definition.workflow.start)
    if start is None or any(_build_end_dominators(view).is_dominator(f"{source}!", phase) for source in sources):
        return None
    before: dict[str, Transition | None] = {start: None}
    todo = deque([start])
    while todo:
        name = todo.popleft()
        if name == phase:
            break
        for arrow in _index_transitions(view).get(name, ()):
            well = arrow.kind != "on_error"
            if arrow.target is not None and arrow.target not in before and not (well and name in sources):
                before[arrow.target] = arrow
                todo.append(arrow.target)
    if phase not in before:
        return None
    way: list[Transition] = []
    here = before[phase]
    while here is not None:
        way.append(here)
        here = before[here.source]
    found = tuple(reversed(way))
    return found if _is_feasible(view, found, sources) else None


def describe_path(view: WorkflowView, phase: str, way: TransitionPath) -> str:
    """Describe a path, with the results that lead along it."""
    steps = (f"{_describe_step(view, arrow)}→ {arrow.target}" for arrow in way)
    return " ".join([way[0].source if way else phase, *steps])


def _describe_step(view: WorkflowView, arrow: Transition) -> str:
    if arrow.kind == "on_error":
        return "(it fails) "
    found = analyse_rules(view).get(arrow.source)
    winning = found.outcomes[arrow.rule].winning_case if found and arrow.rule is not None else None
    words = found.describe_case(winning) if found and winning else ""
    plain = arrow.rule is None or len(view.phases[arrow.source].next_action) == 1
    return "" if plain else f"(rule {(arrow.rule or 0) + 1}{', when ' + words if words else ''}) "


@lru_cache(maxsize=1)
def _build_end_dominators(view: WorkflowView) -> DominatorTree:
    """Build the dominators over the phases and, as `phase!`, their successes."""
    edges: dict[str, list[str]] = {name: [f"{name}!"] for name in view.phases}
    for name in view.phases:
        for arrow in _index_transitions(view).get(name, ()):
            edges.setdefault(name if arrow.kind == "on_error" else f"{name}!", []).append(str(arrow.target))
    return DominatorTree(str(view.resolve_target(view.definition.workflow.start)), edges)


@lru_cache(maxsize=1)
def _index_transitions(view: WorkflowView) -> Mapping[str, list[Transition]]:
    never = find_dead_rules(view)
    leaving: dict[str, list[Transition]] = {}
    for arrow in view.transitions():
        fails = arrow.kind == "on_error" and view.phases[arrow.source].uses is not None
        if arrow.target is None:
            continue
        if fails or (arrow.kind == "then" and (arrow.source, arrow.rule) not in never):
            leaving.setdefault(arrow.source, []).append(arrow)
    return leaving


def _is_feasible(view: WorkflowView, way: TransitionPath, sources: frozenset[str]) -> bool:
    """Return whether each step depends on a value of its own, so that all can happen."""
    read: set[tuple[str, str]] = set()
    passed = {arrow.source for arrow in way}
    for arrow in way:
        if arrow.rule is None:
            continue
        origins = {
            _trace_origin(view, arrow.source, path) for path in _find_deciding_paths(view, arrow.source, arrow.rule)
        }
        if any(one is None or one in read or not _is_independent(one, passed, sources) for one in origins):
            return False
        read |= {one for one in origins if one is not None}
    return True


def _is_independent(origin: tuple[str, str], passed: set[str], sources: frozenset[str]) -> bool:
    return origin[0] == "inputs" or (origin[0] in passed and origin[0] not in sources)


def _find_deciding_paths(view: WorkflowView, phase: str, rule: int) -> set[tuple[str, ...]]:
    """Find the paths that a rule and those before it read."""
    tests = [site for site in collect_phase_sites(view, phase) if site.kind == "when" and site.index <= rule]
    return {path for site in tests if site.tree is not None for path in find_root_paths(site.tree)}


def _trace_origin(view: WorkflowView, phase: str, path: tuple[str, ...]) -> tuple[str, str] | None:
    """Trace the origin of a path: a phase and its field, or a caller; None if unsure."""
    if path[0] in ("phases", "run") or path == ("inputs",):
        return None
    if path[0] != "inputs":
        return phase, path[0]
    spec = view.phases[phase].inputs.get(path[1])
    if spec is None or spec.from_ is None:
        return ("inputs", path[1]) if spec else None
    match spec.from_.split("."):
        case ["inputs", str(name)]:
            return "inputs", name
        case ["phases", str(source), ("result" | "answer"), str(name), *_]:
            return source, name
        case _:
            return None
