"""Proofs about every run of a workflow: path count, longest run, termination, tokens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from aurora.interpreter.checks import view_definition
from aurora.interpreter.checks.rules import analyse_rules, find_dead_rules, is_failure_possible
from aurora.interpreter.language import count_tokens
from aurora.interpreter.run import MAX_DEPTH
from aurora.interpreter.run.phase import decides_by_answer
from aurora.interpreter.templates import strip_tags

from .calls import WalkFigures, count_items, count_last_calls, count_phase_calls, is_doubtful
from .further_calls import find_doubtful_inputs
from .independence import has_independent_rules
from .longest_walk import WalkLength, WalkWeights, measure_longest_walk
from .path_count import PathMetrics
from .walk_graph import WalkEdge

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from aurora.interpreter.checks import KnownWorkflows, WorkflowView
    from aurora.interpreter.language import Definition
    from aurora.interpreter.run import Toolbox


@dataclass(frozen=True, slots=True)
class WorkflowProof:
    """The proved properties of a workflow without errors.

    Attributes:
        phases: the number of phases.
        paths: the number of paths from the start to an end, without failures; each round of a bounded edge counts.
            None when there are too many to count.
        longest_run_calls: the calls of the longest kept run, with failures; None when a run may not end, or when a
            phase runs a workflow that is not known. Calls that only wait for a person do not count.
        is_longest_exact: whether some path has so many calls; else no path has more, which is all that is proved.
        always_ends: whether every run comes to an end.
        prompt_tokens: by phase, the estimated tokens of its prompt's own words, without filled-in values.
        worst_path_tokens: the most of these that one run can use; None when a run may not end.
        is_worst_exact: whether some path uses so many; else no path uses more.
        token_budget: the tokens that the workflow allows the responses of a run, which proves nothing; None without
            a budget.
    """

    phases: int
    paths: int | None
    longest_run_calls: int | None
    always_ends: bool
    prompt_tokens: Mapping[str, int]
    worst_path_tokens: int | None
    is_longest_exact: bool = True
    is_worst_exact: bool = True
    token_budget: int | None = None


def prove_workflow(
    definition: Definition, tools: Toolbox | None, known: KnownWorkflows | None = None, *, depth: int = 0
) -> WorkflowProof:
    """Prove properties of every run of a definition without errors.

    Args:
        definition: the workflow.
        tools: what its phases use.
        known: the workflows that its phases run; without them, such phases have no bound.
        depth: the number of workflows around this one.
    """
    view = view_definition(definition, tools, known)
    walks = build_path_metrics(view)
    tokens = {name: estimate_tokens(prompt.text) for name, prompt in definition.prompts.items()}
    loads = _Loads.measure(view, tokens, _prove_walks(view, depth))
    paths = walks.count_walks() if walks else None
    measure = _Measure(walks, is_small=paths is not None, is_bound=loads.is_bound)
    longest = measure.find_longest(loads.calls, loads.last_calls) if loads.has_bound else None
    worst = measure.find_longest(loads.tokens, lambda _: 0) if loads.has_bound else None
    return WorkflowProof(
        phases=len(view.phases),
        paths=paths,
        longest_run_calls=max(longest.length, 1) if longest else None,
        always_ends=_is_terminating(view),
        prompt_tokens=tokens,
        worst_path_tokens=worst.length if worst else None,
        is_longest_exact=longest is not None and longest.is_exact,
        is_worst_exact=worst is not None and worst.is_exact,
        token_budget=budget.tokens if (budget := definition.workflow.budget) else None,
    )


def _prove_walks(view: WorkflowView, depth: int) -> dict[str, WalkFigures]:
    """Measure the workflows that phases run, by phase; unknown ones have no bound."""
    found: dict[str, WalkFigures] = {}
    for name, phase in view.phases.items():
        inner = view.find_workflow(name) if depth <= MAX_DEPTH else None
        if inner is not None:
            proof = prove_workflow(inner, view.tools, view.workflows, depth=depth + 1)
            found[name] = WalkFigures(proof.longest_run_calls, proof.worst_path_tokens)
        elif phase.workflow is not None:
            found[name] = WalkFigures(None, None)
    return found


@dataclass(frozen=True, slots=True)
class _Loads:
    """The calls and tokens of a visit to each phase."""

    _calls: Mapping[str, int]
    _tokens: Mapping[str, int]
    _last_calls: Mapping[str, int]
    has_bound: bool
    is_bound: bool
    """Whether the figures of some phase are only a bound."""

    @classmethod
    def measure(cls, view: WorkflowView, tokens: Mapping[str, int], walks: Mapping[str, WalkFigures]) -> _Loads:
        """Measure all phases."""
        flow = view.definition.workflow
        items = {name: count_items(view, name) for name in view.phases}
        own = dict.fromkeys(view.phases, 0)
        for prompt, size in tokens.items():
            name = prompt.partition(".")[0]
            own[name] += size * items[name]
        for name, walk in walks.items():
            own[name] += (walk.tokens or 0) * items[name]
        further = find_doubtful_inputs(view)
        calls = {name: count_phase_calls(flow, name, items[name], walks.get(name)) for name in view.phases}
        doubtful = any(is_doubtful(flow, name, items[name]) or name in further for name in view.phases)
        return cls(
            {name: count + further.get(name, 0) for name, count in calls.items()},
            own,
            {name: count_last_calls(flow, name) for name in view.phases},
            has_bound=all(walk.calls is not None and walk.tokens is not None for walk in walks.values()),
            is_bound=doubtful or _may_stop(view) or not has_independent_rules(view),
        )

    def calls(self, phase: str) -> int:
        """Return the calls of a visit."""
        return self._calls[phase]

    def tokens(self, phase: str) -> int:
        """Return the tokens of the prompts of a visit."""
        return self._tokens[phase]

    def last_calls(self, phase: str) -> int:
        """Return the calls after a last visit."""
        return self._last_calls[phase]


@dataclass(frozen=True, slots=True)
class _Measure:
    """The measurement of the longest walk of one workflow."""

    walks: PathMetrics | None
    is_small: bool
    is_bound: bool

    def find_longest(self, visit: Callable[[str], int], end: Callable[[str], int]) -> WalkLength | None:
        """Find the longest walk; where only a bound is known, examine each state of a small workflow."""
        if self.walks is None:
            return None
        weights = WalkWeights(visit, end)
        found = measure_longest_walk(self.walks.start, self.walks.ways, weights)
        if found is None:
            return None
        exact = self.walks.measure_longest(weights) if self.is_small and not found.is_exact else None
        length = found.length if exact is None else exact
        return WalkLength(length, is_exact=(found.is_exact or exact is not None) and not self.is_bound)


def _has_events(view: WorkflowView) -> bool:
    """Return whether an edge depends on an event other than a failure, such as a person who declines."""
    return any(transition.is_empty_handed and transition.kind != "on_error" for transition in view.transitions())


def _may_stop(view: WorkflowView) -> bool:
    """Return whether a run may leave its walk: by an event, or by a rule that fails first."""
    return _has_events(view) or _has_dead_end(view) or is_failure_possible(view)


def _has_dead_end(view: WorkflowView) -> bool:
    """Return whether no rule of some phase can win, so that each run fails there."""
    return any(all(rule.winning_case is None for rule in one.outcomes) for one in analyse_rules(view).values())


def measure_longest_run(definition: Definition) -> int | None:
    """Count the calls of the longest run; None when that is unknown."""
    return prove_workflow(definition, None).longest_run_calls


def count_paths(definition: Definition) -> int | None:
    """Count the paths from the start to an end; None when there are too many."""
    return prove_workflow(definition, None).paths


def estimate_tokens(text: str) -> int:
    """Estimate the number of tokens of a template's own words."""
    return count_tokens(strip_tags(text).strip())


def build_path_metrics(view: WorkflowView) -> PathMetrics | None:
    """Build the metrics of all paths from the start; None without a start."""
    start = view.resolve_target(view.definition.workflow.start)
    if start is None:
        return None
    dead_rules = find_dead_rules(view)
    ways: dict[str, list[WalkEdge]] = {name: [] for name in view.phases}
    for name, index, rule, _ in view.rules():
        if (name, index) not in dead_rules:
            instead = view.resolve_target(rule.else_) if rule.else_ else None
            ways[name].append(WalkEdge(view.resolve_target(rule.then), rule.max, instead))
    decided = {name: max(len(edges), 1) for name, edges in ways.items()}
    for transition in view.transitions():
        if transition.rule is None:
            edge = WalkEdge(transition.target, fails=transition.kind == "on_error")
            is_late = transition.kind == "decline" and not decides_by_answer(view.phases[transition.source])
            ways[transition.source] += [edge] * (decided[transition.source] if is_late else 1)  # after each rule
    return PathMetrics(start, ways)


def _is_terminating(view: WorkflowView) -> bool:
    """Return whether every cycle is bounded: the unbounded edges form no cycle."""
    dead_rules = find_dead_rules(view)
    left = dict.fromkeys(view.phases, 0)
    into: dict[str, list[str]] = {name: [] for name in view.phases}
    for transition in view.transitions():
        if (
            transition.target is not None
            and not transition.bounded
            and (transition.source, transition.rule) not in dead_rules
        ):
            into[transition.target].append(transition.source)
            left[transition.source] += 1
    todo = [name for name, count in left.items() if not count]
    for name in todo:
        for source in into[name]:
            left[source] -= 1
            if not left[source]:
                todo.append(source)
    return len(todo) == len(left)
