"""Paths on which a value that an expression reads is not written."""

from __future__ import annotations

import heapq
from collections import defaultdict
from dataclasses import dataclass, field
from functools import lru_cache
from math import inf
from typing import TYPE_CHECKING, Any

from aurora.interpreter.checks.decisions import find_dead_rules
from aurora.interpreter.checks.expressions.domains import list_types
from aurora.interpreter.checks.expressions.sites import find_root_paths
from aurora.interpreter.checks.visits import has_known_targets, is_always_begun, is_always_written, is_never_begun
from aurora.interpreter.expressions.error import ExpressionError
from aurora.interpreter.expressions.jmespath import evaluate_expression
from aurora.interpreter.language.definition import measure_distances
from aurora.interpreter.language.model import END
from aurora.interpreter.problems import list_names

from .path_values import Facts, PathValues, Visit, Visits, collect_path_values, join_facts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from aurora.interpreter.checks.expressions.sites import ExpressionSite
    from aurora.interpreter.checks.view import Transition, WorkflowView

_MAX_STATES = 1_000
"""The most states of one search."""
_MAX_ALL_STATES = 50_000
"""The most states of all searches of a workflow, some 0.1 ms each."""
_MAX_DESCRIBED = 30
"""The most edges of a path that is described with the values that lead along it."""
_MAX_LOOP_STATES = 50
"""The most states of the search for a way back to a rule with a limit."""


@dataclass(frozen=True, slots=True)
class UnwrittenPath:
    """A path to a phase, or to the end, on which a value is not written.

    Attributes:
        note: the path in words, with the results that lead along it; or why it does not matter which path a run takes.
        is_sure: whether a run can surely take it.
    """

    note: str
    is_sure: bool


def find_unwritten_path(site: ExpressionSite, is_missing: Callable[[Any], bool]) -> UnwrittenPath | None:
    """Find the shortest path to an expression on which what it reads is not written.

    Args:
        site: an input's `from`, or a field of the workflow's output.
        is_missing: whether this value of the expression does not do.

    Returns:
        None where there is no such path.
    """
    view, goal = site.view, site.phase or END
    read = [path for path in find_root_paths(site.tree or {}) if path[0] == "phases" and len(path) > 1]
    sources = list(dict.fromkeys(path[1] for path in read))
    if not sources or not set(sources) <= set(view.phases) or not has_known_targets(view):
        return None
    reading = _Reading(site, is_missing)
    if not reading.is_missing({}) or not reading.is_missing(_collect_always_written(view, sources, goal)):
        return None
    if goal != END and all(is_never_begun(view, source, goal) for source in sources):
        return UnwrittenPath(f'no path leads from {list_names(sources)} to "{goal}"', is_sure=True)
    if goal != END and all(is_always_begun(view, goal, source) for source in sources):
        return UnwrittenPath(f'each path to {list_names(sources)} leads through "{goal}"', is_sure=True)
    return _PathSearch(view, reading, frozenset(sources)).find(goal)


def _collect_always_written(view: WorkflowView, sources: list[str], goal: str) -> Visits:
    begun = [one for one in sources if is_always_begun(view, one, goal)]
    return {one: Visit("complete" if is_always_written(view, one, goal) else "skipped", 1) for one in begun}


class _Reading:
    """The value of an expression after visits of phases; present values are samples of their schemas."""

    def __init__(self, site: ExpressionSite, is_missing: Callable[[Any], bool]) -> None:
        self._site = site
        self._judge = is_missing
        self._paths = [path for path in find_root_paths(site.tree or {}) if len(path) > 1]
        self._known: dict[frozenset[tuple[str, ...]], bool] = {}
        self._fails_always = self._is_missing(frozenset(self._paths))

    def is_missing(self, visits: Visits) -> bool:
        """Return whether the value is missing after these visits."""
        present = frozenset(path for path in self._paths if _is_present(path, visits))
        if self._fails_always and present:
            return False  # the samples say nothing
        if present not in self._known:
            self._known[present] = self._is_missing(present)
        return self._known[present]

    def _is_missing(self, present: frozenset[tuple[str, ...]]) -> bool:
        workflow = self._site.view.definition.workflow
        read = [path[1] for path in self._paths if path[0] == "phases"]
        unvisited = {name: {"answers": [], "results": [], "visits": 0} for name in read}
        scope: dict[str, Any] = {"inputs": {}, "phases": unvisited, "run": {"visits": {}}, "vars": workflow.vars}
        for path in present:
            self._set_sample(scope, path)
        try:
            value = evaluate_expression(self._site.text, scope)
        except ExpressionError:
            return True
        return self._judge(value) if value is None or not present else False

    def _set_sample(self, scope: dict[str, Any], path: tuple[str, ...]) -> None:
        here: Any = scope
        for name in path[:-1]:
            here = here.setdefault(name, {})
            if not isinstance(here, dict):
                return
        types = list_types(self._site.find_schema(path) or {}) - {"null"}
        here[path[-1]] = _SAMPLES.get(min(types, default="string"), "text")


def _is_present(path: tuple[str, ...], visits: Visits) -> bool:
    """Return whether there is a value at a path after these visits; what callers sent may be there."""
    if path[0] != "phases":
        return path[0] != "vars"
    if len(path) < _VALUE_DEPTH:
        return path[1] in visits
    return path[1] in visits and path[2] in _WRITTEN[visits[path[1]].status]


_VALUE_DEPTH = 3
_SAMPLES: Mapping[str, Any] = {
    "array": ["text"],
    "boolean": True,
    "integer": 1,
    "number": 1,
    "object": {"text": "text"},
    "string": "text",
}
_VISITED = frozenset({"inputs", "status", "visits"})
_COMPLETE = _VISITED | {"answer", "answers", "result", "results"}
_WRITTEN: Mapping[str, frozenset[str]] = {
    "complete": _COMPLETE,
    "declined": _VISITED,
    "error": _VISITED | {"error"},
    "skipped": frozenset({"status", "visits"}),
}
"""The values that a phase has after its last visit, by its status."""


@dataclass(slots=True)
class _State:
    """A state of a run: what it enters next, the last visits, and what is known of values."""

    phase: str
    visits: Visits = field(default_factory=dict)
    facts: Facts = frozenset()
    is_sure: bool = True
    edge: Transition | None = None
    before: _State | None = None
    length: int = 0

    def build_key(self) -> tuple[Any, ...]:
        return self.phase, frozenset(self.visits.items()), self.facts, self.is_sure

    def list_edges(self) -> list[Transition]:
        """List the edges of the path that led here."""
        edges: list[Transition] = []
        here: _State | None = self
        while here is not None and here.edge is not None:
            edges.append(here.edge)
            here = here.before
        return edges[::-1]


class _PathSearch:
    """The search for a path on which one value is missing: surely possible paths first, then the shortest."""

    def __init__(self, view: WorkflowView, reading: _Reading, sources: frozenset[str]) -> None:
        self._view = view
        self._reading = reading
        self._values: PathValues = collect_path_values(view)
        self._sources = sources
        self._leaving = _index_transitions(view)
        self._budget = _open_budget(view)

    def find(self, goal: str) -> UnwrittenPath | None:
        """Find a path; one that was not found, because there are too many, is not sure."""
        start = self._view.resolve_target(self._view.definition.workflow.start)
        if start is None:
            return None
        if self._budget.left <= 0:
            self._budget.untried += 1
            return None
        found = self._search(_State(start), goal, _MAX_STATES)
        if isinstance(found, _State):
            return UnwrittenPath(self._describe(found), found.is_sure)
        note = "there are too many paths to try them all"
        return UnwrittenPath(note, is_sure=False) if found else None

    def _search(self, first: _State, goal: str, most: int, *, loops: bool = True) -> _State | bool:
        """Search for a state at the goal in which the value is missing; True where not all states were tried."""
        distances = self._measure_distances(goal)
        waiting = [(False, distances.get(first.phase, inf), 0, first)]
        seen: set[tuple[Any, ...]] = set()
        number = 0
        while waiting:
            state = heapq.heappop(waiting)[-1]
            if state.phase == goal and (state.edge is not None or loops):
                found = self._enter(state)
                if found is not None:
                    return found
            key = state.build_key()
            if key in seen or state.phase == END:
                continue
            seen.add(key)
            self._budget.left -= 1
            if len(seen) > most:
                return True
            for child in self._iterate_children(state, loops=loops):
                number += 1
                if child.phase in distances:
                    cost = child.length + distances[child.phase]
                    # The number decides between equal costs: states have no order of their own.
                    heapq.heappush(waiting, (not child.is_sure, cost, number, child))
        return False

    def _enter(self, state: _State) -> _State | None:
        """Return the state if the value is missing in it, and the phase is not skipped."""
        if not self._reading.is_missing(state.visits):
            return None
        if state.phase == END:
            return state
        relation = self._values.relate_entry(state.phase, state.visits)
        facts = join_facts(state.facts, relation) if relation is not None else None
        if relation is None or facts is None:
            return None
        state.is_sure &= relation.is_exact
        return state

    def _iterate_children(self, state: _State, *, loops: bool) -> Iterator[_State]:
        for edge in self._leaving.get(state.phase, ()):
            origin: _State | None = state
            if edge.kind == "else":
                origin = self._use_up(state, edge, loops=loops)
            elif edge.bounded and edge.rule is not None:
                most = self._view.phases[edge.source].next_action[edge.rule].max or 0
                if state.list_edges().count(edge) >= most:
                    continue
            child = self._follow(origin, edge) if origin is not None else None
            if child is not None:
                child.before = state  # of a loop that uses up a limit, the path names only the limit
                yield child

    def _use_up(self, state: _State, edge: Transition, *, loops: bool) -> _State | None:
        """Find the state in which a run returns to a rule whose limit it can use up; None where it cannot."""
        rule = self._view.phases[edge.source].next_action[edge.rule or 0]
        if rule.max == 0:
            return state
        taken = next(one for one in self._leaving[edge.source] if (one.kind, one.rule) == ("then", edge.rule))
        if not loops or taken.target is None:
            return None
        first = self._follow(state, taken)
        if first is None:
            return None
        first.edge = first.before = None
        found = self._search_back(first, edge.source)
        return found if isinstance(found, _State) else None

    def _search_back(self, first: _State, goal: str) -> _State | bool:
        if first.phase == goal:
            return first
        return self._search(first, goal, _MAX_LOOP_STATES, loops=False)

    def _follow(self, state: _State, edge: Transition) -> _State | None:
        """Follow an edge; None where no run takes it from this state."""
        relation = self._values.relate(edge, state.visits)
        if relation is None:
            return None
        values, source = self._values, edge.source
        facts = join_facts(values.reduce(state.facts, source, source), relation)
        if facts is None:
            return None
        facts = values.reduce(facts, "", edge.target)
        visits = values.record_visit(edge, state.visits)
        kept = self._sources | values.list_live_visits(edge.target)
        # What no condition ahead reads is forgotten, so that states
        # that differ in nothing else are searched once.
        visits = {name: visit for name, visit in visits.items() if name in kept}
        is_sure = state.is_sure and relation.is_exact
        return _State(edge.target or END, visits, facts, is_sure, edge, state, state.length + 1)

    def _measure_distances(self, goal: str) -> Mapping[str | None, int]:
        """Measure the number of edges from each phase to the goal."""
        known = self._budget.distances
        if goal not in known:
            into: dict[str | None, list[str]] = defaultdict(list)
            for edge in (edge for edges in self._leaving.values() for edge in edges):
                into[edge.target or END].append(edge.source)
            known[goal] = measure_distances(goal, into)
        return known[goal]

    def _describe(self, state: _State) -> str:
        """Describe a path, with the results that lead along it."""
        edges = state.list_edges()
        words = self._values.describe(edges) if len(edges) <= _MAX_DESCRIBED else [""] * len(edges)
        said = zip(edges, words, strict=True)
        steps = (f"{self._describe_edge(edge, words)}→ {edge.target or END}" for edge, words in said)
        path = " ".join([edges[0].source if edges else state.phase, *steps])
        return f"the shortest path: {path}" if state.is_sure else f"on the way {path}, if a run can take it"

    def _describe_edge(self, edge: Transition, words: str) -> str:
        if edge.kind in _EVENTS:
            return f"({_EVENTS[edge.kind]}) "
        if edge.kind == "else":
            return f"(rule {(edge.rule or 0) + 1}, its `max` used up) "
        if edge.rule is None or len(self._view.phases[edge.source].next_action) == 1:
            return ""
        return f"(rule {edge.rule + 1}{', when ' + words if words else ''}) "


@dataclass(slots=True)
class _Budget:
    """The states that all searches of a workflow may still visit, and what they know of its graph."""

    left: int = _MAX_ALL_STATES
    untried: int = 0
    distances: dict[str, Mapping[str | None, int]] = field(default_factory=dict)


@lru_cache(maxsize=1)
def _open_budget(view: WorkflowView) -> _Budget:
    del view
    return _Budget()


def count_untried(view: WorkflowView) -> int:
    """Count the values whose paths were not tried, because those of others took too long."""
    return _open_budget(view).untried


_EVENTS = {
    "on_error": "it fails",
    "skip": "it is skipped",
    "decline": "the person declines",
    "overflow": "the list is too long",
}


@lru_cache(maxsize=1)
def _index_transitions(view: WorkflowView) -> Mapping[str, list[Transition]]:
    """Index the edges that a run can take; only a tool, or a workflow, is thought to fail."""
    dead_rules = find_dead_rules(view)
    leaving: dict[str, list[Transition]] = {}
    for edge in (*view.transitions, *view.skips):
        fails = edge.kind == "on_error" and view.phases[edge.source].has_result
        other = edge.is_empty_handed and edge.kind != "on_error"
        decided = edge.kind in ("then", "else") and (edge.source, edge.rule) not in dead_rules
        if fails or other or decided:
            leaving.setdefault(edge.source, []).append(edge)
    return leaving
