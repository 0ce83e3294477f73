"""Paths to a phase on which a value is not written, if a run can surely take them."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from aurora.interpreter.checks.expressions import collect_phase_sites, find_root_paths
from aurora.interpreter.checks.rules import analyse_rules, find_dead_rules
from aurora.interpreter.checks.visits import DominatorTree, is_never_begun
from aurora.interpreter.language import END

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aurora.interpreter.checks.view import Transition, WorkflowView

TransitionPath = tuple["Transition", ...]
_WHOLE = ""
"""The field name that means the whole of an answer."""


def find_path_avoiding(
    view: WorkflowView, phase: str, sources: frozenset[str], *, even_failed: bool = False
) -> TransitionPath | None:
    """Find the shortest path to `phase` on which none of `sources` succeeds, or None.

    A path is ignored when the values that decide one of its steps may depend on another of its steps, unless no source
    comes before the first visit of the phase: then it does not matter which path a run takes.

    Args:
        view: the workflow.
        phase: the phase that the path leads to, or `end`.
        sources: the phases that it avoids.
        even_failed: whether it also avoids visits that fail or are skipped.
    """
    start = view.resolve_target(view.definition.workflow.start)
    mark = "" if even_failed else "!"
    if start is None or any(_build_end_dominators(view).is_dominator(f"{source}{mark}", phase) for source in sources):
        return None
    avoided = _Avoided(sources, even_failed)
    path = _find_shortest_path(view, start, phase, avoided)
    is_sure = path is not None and (are_never_before(view, phase, sources) or are_behind(view, phase, sources))
    return path if path is not None and (is_sure or _is_feasible(view, path, sources)) else None


def are_never_before(view: WorkflowView, phase: str, sources: frozenset[str]) -> bool:
    """Return whether no path leads from any of `sources` to `phase`."""
    return phase != END and all(is_never_begun(view, source, phase) for source in sources)


def are_behind(view: WorkflowView, phase: str, sources: frozenset[str]) -> bool:
    """Return whether each way to any of `sources` leads through the phase."""
    return all(_build_end_dominators(view).is_dominator(phase, source) for source in sources)


@dataclass(frozen=True, slots=True)
class _Avoided:
    """The phases that a path avoids; those that fail or are skipped too, if it says so."""

    sources: frozenset[str]
    even_failed: bool

    def is_open(self, transition: Transition) -> bool:
        """Return whether the path may leave a phase by this edge."""
        succeeds = self.even_failed or not transition.is_empty_handed
        return not (succeeds and transition.source in self.sources)


def _find_shortest_path(
    view: WorkflowView, start: str, phase: str, avoided: _Avoided, *, again: bool = False
) -> TransitionPath | None:
    """Find the path by a breadth-first search that leaves `sources` only where they fail.

    Args:
        view: the workflow.
        start: the phase that it begins with.
        phase: the phase that it leads to, or `end`.
        avoided: the phases that it avoids.
        again: whether it is the way of a loop, which uses up no other limit.
    """
    entered_by: dict[str, Transition | None] = {start: None}
    queue = deque([start])
    while queue and phase not in entered_by:
        name = queue.popleft()
        for transition in _index_transitions(view).get(name, ()):
            target = _name_target(transition)
            if target in entered_by or not avoided.is_open(transition):
                continue
            if transition.kind == "else" and (again or not _can_use_up(view, transition, avoided)):
                continue
            entered_by[target] = transition
            queue.append(target)
    if phase not in entered_by:
        return None
    path: list[Transition] = []
    last = entered_by[phase]
    while last is not None:
        path.append(last)
        last = entered_by[last.source]
    return tuple(reversed(path))


def describe_path(view: WorkflowView, phase: str, path: TransitionPath) -> str:
    """Describe a path, with the results that lead along it."""
    steps = (f"{_describe_step(view, transition)}→ {_name_target(transition)}" for transition in path)
    return " ".join([path[0].source if path else phase, *steps])


def _describe_step(view: WorkflowView, transition: Transition) -> str:
    if transition.kind in _EVENTS:
        return f"({_EVENTS[transition.kind]}) "
    if transition.kind == "else":
        return f"(rule {(transition.rule or 0) + 1}, its `max` used up) "
    found = analyse_rules(view).get(transition.source)
    winning = found.outcomes[transition.rule].winning_case if found and transition.rule is not None else None
    words = found.describe_case(winning) if found and winning else ""
    plain = transition.rule is None or len(view.phases[transition.source].next_action) == 1
    return "" if plain else f"(rule {(transition.rule or 0) + 1}{', when ' + words if words else ''}) "


_EVENTS = {
    "on_error": "it fails",
    "skip": "it is skipped",
    "decline": "the person declines",
    "overflow": "the list is too long",
}


@lru_cache(maxsize=1)
def _build_end_dominators(view: WorkflowView) -> DominatorTree:
    """Build the dominators over the phases and, as `phase!`, their successes."""
    edges: dict[str, list[str]] = {name: [f"{name}!"] for name in view.phases}
    for name in view.phases:
        for transition in _index_transitions(view).get(name, ()):
            edges.setdefault(name if transition.is_empty_handed else f"{name}!", []).append(_name_target(transition))
    return DominatorTree(str(view.resolve_target(view.definition.workflow.start)), edges)


@lru_cache(maxsize=1)
def _index_transitions(view: WorkflowView) -> Mapping[str, list[Transition]]:
    dead_rules = find_dead_rules(view)
    leaving: dict[str, list[Transition]] = {}
    for transition in (*view.transitions(), *view.skips()):
        fails = transition.kind == "on_error" and view.phases[transition.source].uses is not None
        other = transition.is_empty_handed and transition.kind != "on_error"
        if (
            fails
            or other
            or (transition.kind in ("then", "else") and (transition.source, transition.rule) not in dead_rules)
        ):
            leaving.setdefault(transition.source, []).append(transition)
    return leaving


_MAX_LOOPS = 500
"""The most loops of a workflow that are followed; the limits of others count as never used up."""


def _can_use_up(view: WorkflowView, transition: Transition, avoided: _Avoided) -> bool:
    """Return whether a run can use up the limit of a rule without the avoided phases."""
    known = _remember_loops(view)
    key = (transition.source, transition.rule or 0, avoided)
    if key not in known:
        known[key] = len(known) < _MAX_LOOPS and _follow_loop(view, transition, avoided)
    return known[key]


@lru_cache(maxsize=1)
def _remember_loops(view: WorkflowView) -> dict[tuple[str, int, _Avoided], bool]:
    """Create the memory of the loops whose limits can be used up."""
    del view
    return {}


def _follow_loop(view: WorkflowView, transition: Transition, avoided: _Avoided) -> bool:
    """Return whether a path leads from the target of a rule back to its phase."""
    rule = view.phases[transition.source].next_action[transition.rule or 0]
    target = view.resolve_target(rule.then)
    if target is None or rule.max == 0:
        return rule.max == 0
    back = _find_shortest_path(view, target, transition.source, avoided, again=True)
    return back is not None and _is_feasible(view, back, avoided.sources)


def _name_target(transition: Transition) -> str:
    return transition.target or END


def _is_feasible(view: WorkflowView, path: TransitionPath, sources: frozenset[str]) -> bool:
    """Return whether each step depends on a value of its own, so that all can happen."""
    used: set[tuple[str, str]] = set()
    passed = {transition.source for transition in path}
    for transition in path:
        source = transition.source
        if transition.kind == "skip":
            origins = {_trace_skip(read) for read in _find_skip_paths(view, source)}
        elif transition.rule is None:
            continue
        else:
            read_paths = _find_deciding_paths(view, source, transition.rule)
            origins = {_trace_origin(view, source, read) for read in read_paths}
        if any(
            origin is None or _is_used(origin, used) or not _is_independent(origin, passed, sources)
            for origin in origins
        ):
            return False
        used |= {origin for origin in origins if origin is not None}
    return True


def _is_used(origin: tuple[str, str], used: set[tuple[str, str]]) -> bool:
    """Return whether a step before depends on the value, on a part of it, or on the whole."""
    whole = (origin[0], _WHOLE)
    return origin in used or whole in used or (origin == whole and any(one[0] == origin[0] for one in used))


def _is_independent(origin: tuple[str, str], passed: set[str], sources: frozenset[str]) -> bool:
    return origin[0] == "inputs" or (origin[0] in passed and origin[0] not in sources)


def _find_deciding_paths(view: WorkflowView, phase: str, rule: int) -> set[tuple[str, ...]]:
    """Find the paths that a rule and those before it read."""
    tests = [site for site in collect_phase_sites(view, phase) if site.kind == "when" and site.index <= rule]
    return {path for site in tests if site.tree is not None for path in find_root_paths(site.tree)}


def _find_skip_paths(view: WorkflowView, phase: str) -> set[tuple[str, ...]]:
    """Find the paths that the `when` of a phase reads."""
    tests = [site for site in collect_phase_sites(view, phase) if site.kind == "skip"]
    return {path for site in tests if site.tree is not None for path in find_root_paths(site.tree)}


def _trace_skip(path: tuple[str, ...]) -> tuple[str, str] | None:
    """Trace the origin of a path in the `when` of a phase; None if unsure."""
    match path:
        case ("inputs", str(name), *_):
            return "inputs", name
        case ("phases", str(source), ("result" | "answer"), *fields):
            return source, "".join(fields[:1])
        case _:
            return None


def _trace_origin(view: WorkflowView, phase: str, path: tuple[str, ...]) -> tuple[str, str] | None:
    """Trace the origin of a path: a phase and its field, or a caller; None if unsure."""
    if path[0] in ("phases", "run") or path == ("inputs",):
        return None
    if path[0] != "inputs":
        return phase, path[0] if path[0] != "answer" else "".join(path[1:2])
    spec = view.phases[phase].inputs.get(path[1])
    if spec is None or spec.from_ is None:
        return ("inputs", path[1]) if spec else None
    match spec.from_.split("."):
        case ["inputs", str(name)]:
            return "inputs", name
        case ["phases", str(source), ("result" | "answer"), *fields]:
            return source, "".join(fields[:1])
        case _:
            return None
