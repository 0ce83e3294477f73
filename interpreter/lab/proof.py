"""Proofs about every run of a workflow: bounds, termination, and what remains."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from aurora.interpreter.checks import analyse_rules, find_dead_rules, view_definition
from aurora.interpreter.checks.expressions.domains import infer_nullness
from aurora.interpreter.checks.expressions.inference import infer_expression
from aurora.interpreter.checks.expressions.scopes import collect_phase_sites
from aurora.interpreter.checks.expressions.shapes import Shape
from aurora.interpreter.checks.expressions.sites import to_field_path
from aurora.interpreter.language.definition import find_reachable
from aurora.interpreter.language.model import MAX_ITEMS
from aurora.interpreter.language.tokens import count_tokens
from aurora.interpreter.run.frames import MAX_DEPTH
from aurora.interpreter.run.rules import decides_by_answer
from aurora.interpreter.templates.tags import strip_tags

from .bounds import WalkEdge, bound_longest_walk, bound_walks, drop_failures, list_targets

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aurora.interpreter.checks import KnownWorkflows, WorkflowView
    from aurora.interpreter.checks.expressions.sites import ExpressionSite
    from aurora.interpreter.language.definition import Definition
    from aurora.interpreter.language.model import InputSpec, Phase, Workflow
    from aurora.interpreter.run.ports import Toolbox


@dataclass(frozen=True, slots=True)
class WorkflowProof:
    """The proved properties of a workflow without errors.

    All figures are bounds: no run exceeds them, and maybe none reaches them.

    Attributes:
        phases: the number of phases.
        paths: a bound of the paths from the start to an end, without failures; each round of a bounded edge counts.
            None when there are more than a million.
        longest_run_calls: a bound of the calls of a kept run, with failures; None when a run may not end, or when a
            phase runs a workflow that is not known. Calls that only wait for a person do not count.
        always_ends: whether every run comes to an end.
        prompt_tokens: by phase, the estimated tokens of its prompt's own words, without filled-in values.
        worst_path_tokens: a bound of these in one run; None when a run may not end.
        token_budget: the tokens that the workflow allows the responses of a run, which proves nothing; None without
            a budget.
    """

    phases: int
    paths: int | None
    longest_run_calls: int | None
    always_ends: bool
    prompt_tokens: Mapping[str, int]
    worst_path_tokens: int | None
    token_budget: int | None = None


@dataclass(frozen=True, slots=True)
class RemainingPhases:
    """Phases that a run can still visit without failures.

    Attributes:
        least: no path to an end has fewer visits.
        most: a bound of the visits; loops count in full, also rounds that the run has used. None without a bound.
        names: the phases that a path contains, in the order of the file.
    """

    least: int
    most: int | None
    names: tuple[str, ...]


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
    start, ways = view.resolve_target(definition.workflow.start), build_walk_graph(view)
    tokens = {name: estimate_tokens(prompt.text) for name, prompt in definition.prompts.items()}
    loads = _Loads.measure(view, tokens, _prove_walks(view, depth))
    calls = words = None
    if start is not None and loads.has_bound:
        calls = bound_longest_walk(start, ways, loads.calls.__getitem__, loads.last_calls.__getitem__)
        words = bound_longest_walk(start, ways, loads.tokens.__getitem__)
    return WorkflowProof(
        phases=len(view.phases),
        paths=bound_walks(start, ways) if start is not None else None,
        longest_run_calls=None if calls is None else max(calls, 1),
        always_ends=start is not None and bound_longest_walk(start, ways, lambda _: 1) is not None,
        prompt_tokens=tokens,
        worst_path_tokens=words,
        token_budget=budget.tokens if (budget := definition.workflow.budget) else None,
    )


def measure_remaining(definition: Definition, phase: str) -> RemainingPhases:
    """Measure the phases from one phase to an end, that phase included.

    Args:
        definition: a workflow without errors.
        phase: the name of one of its phases.
    """
    graph = build_walk_graph(view_definition(definition, None))
    ways = drop_failures(graph)
    reached = find_reachable([phase], {name: list_targets(edges) for name, edges in ways.items()})
    return RemainingPhases(
        least=_count_fewest(phase, ways),
        most=bound_longest_walk(phase, ways, lambda _: 1),
        names=tuple(name for name in definition.workflow.phases if name in reached),
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
    """The most calls and tokens of a visit to each phase, and the calls after a last visit."""

    calls: Mapping[str, int]
    tokens: Mapping[str, int]
    last_calls: Mapping[str, int]
    has_bound: bool

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
        further = count_further_calls(view)
        return cls(
            {
                name: count_phase_calls(flow, name, items[name], walks.get(name)) + further.get(name, 0)
                for name in view.phases
            },
            own,
            {name: count_last_calls(flow, name) for name in view.phases},
            has_bound=all(walk.calls is not None and walk.tokens is not None for walk in walks.values()),
        )


def estimate_tokens(text: str) -> int:
    """Estimate the number of tokens of a template's own words."""
    return count_tokens(strip_tags(text).strip())


def build_walk_graph(view: WorkflowView) -> dict[str, Sequence[WalkEdge]]:
    """Build the edges of each phase that a run can take."""
    dead_rules = find_dead_rules(view)
    ways: dict[str, list[WalkEdge]] = {name: [] for name in view.phases}
    for name, index, rule, _ in view.rules:
        if (name, index) not in dead_rules:
            instead = view.resolve_target(rule.else_) if rule.else_ else None
            ways[name].append(WalkEdge(view.resolve_target(rule.then), rule.max, instead))
    decided = {name: max(len(edges), 1) for name, edges in ways.items()}
    for transition in view.transitions:
        if transition.rule is None:
            edge = WalkEdge(transition.target, fails=transition.kind == "on_error")
            is_late = transition.kind == "decline" and not decides_by_answer(view.phases[transition.source])
            ways[transition.source] += [edge] * (decided[transition.source] if is_late else 1)  # after each rule
    return {**ways}


def _count_fewest(phase: str, ways: Mapping[str, Sequence[WalkEdge]]) -> int:
    """Count the phases on a shortest path to an end, level by level."""
    level, seen, count = {phase}, {phase}, 1
    while level:
        edges = [edge for name in level for edge in ways[name]]
        if any(edge.target is None or (edge.most is not None and edge.instead is None) for edge in edges):
            return count
        if any(not ways[name] for name in level):
            return count
        level = set(list_targets(edges)) - seen
        seen |= level
        count += 1
    return count - 1


@dataclass(frozen=True, slots=True)
class WalkFigures:
    """The most calls and prompt tokens of a workflow that runs as a phase; None without a bound."""

    calls: int | None
    tokens: int | None


def count_items(view: WorkflowView, phase: str) -> int:
    """Count the most items of a `for_each`, by its limit and its list; 1 without one."""
    loop = view.phases[phase].for_each
    if loop is None:
        return 1
    site = next(site for site in collect_phase_sites(view, phase) if site.kind == "for_each")
    shape = infer_expression(site)
    most = (shape.resolve() or {}).get("maxItems") if isinstance(shape, Shape) else None
    return min(loop.limit or MAX_ITEMS, most if isinstance(most, int) else MAX_ITEMS)


def count_rounds(spec: Phase, items: int) -> int:
    """Count the most responses in which a phase asks all that it asks.

    A host may answer one branch at a time, and each long prompt of a `for_each` has a response of its own.
    """
    if spec.branches is not None:
        return len(spec.branches)
    return items if spec.for_each is not None and spec.workflow is None else 1


def count_phase_calls(flow: Workflow, phase: str, items: int, walk: WalkFigures | None) -> int:
    """Count the most calls that a visit to this phase takes.

    Args:
        flow: the workflow.
        phase: the phase.
        items: the most items of its `for_each`.
        walk: the figures of the workflow that it runs.
    """
    spec = flow.phases[phase]
    if walk is not None:
        return (walk.calls or 0) * items
    if spec.asks:
        return count_rounds(spec, items)
    return 0 if is_passed(flow, phase) else 1


def count_last_calls(flow: Workflow, phase: str) -> int:
    """Count the calls after the last phase of a run: one to bring the answer to its prompt, or to pass it."""
    return int(flow.phases[phase].asks or is_passed(flow, phase))


def is_passed(flow: Workflow, phase: str) -> bool:
    """Return whether the call that runs another phase runs this one, too, when it has its inputs."""
    spec = flow.phases[phase]
    return spec.only_decides or (flow.pace == "prompt" and not spec.asks and spec.workflow is None)


def count_further_calls(view: WorkflowView) -> dict[str, int]:
    """Count, by phase, the further calls in which a host may have to bring inputs."""
    before: dict[str, set[str]] = {}
    for transition in (*view.transitions, *view.skips):
        if transition.target is not None:
            before.setdefault(transition.target, set()).add(transition.source)
    doubtful = [name for name in before if _may_lack_input(view, name)]
    return {name: int(any(_ends_within_call(view, source) for source in before[name])) for name in doubtful}


def _may_lack_input(view: WorkflowView, phase: str) -> bool:
    sources = {site.name: site for site in collect_phase_sites(view, phase) if site.kind == "from"}
    inputs = view.phases[phase].inputs
    if any(_is_required(spec) and not _is_known(view, name, sources.get(name)) for name, spec in inputs.items()):
        return True
    # A host may bring another value in place of one that does not fit: whether one can misfit is not looked into.
    for name, spec in inputs.items():
        is_sent = _is_required(spec) and name not in sources
        if spec.override or (is_sent and _has_other_schema(view, name)):
            return True
    found = analyse_rules(view).get(phase)
    if found is None or not found.may_fail:
        return False
    # After a failure the host can call the phase again: with another input, or its tool has another result.
    return view.phases[phase].has_result or any(spec.from_ is None for spec in inputs.values())


def _ends_within_call(view: WorkflowView, phase: str) -> bool:
    """Return whether the call that ends a phase also runs the next one, when it has its inputs."""
    spec = view.phases[phase]
    waits = spec.person is not None or spec.branches is not None or spec.for_each is not None
    return waits or spec.when is not None or decides_by_answer(spec) or is_passed(view.definition.workflow, phase)


def _has_other_schema(view: WorkflowView, name: str) -> bool:
    """Return whether inputs of this name have different schemas: what one takes, another may refuse."""
    found = [phase.inputs[name].json_schema for phase in view.phases.values() if name in phase.inputs]
    return any(schema != found[0] for schema in found)


def _is_required(spec: InputSpec) -> bool:
    return not spec.optional and not spec.has_default


def _is_known(view: WorkflowView, name: str, source: ExpressionSite | None) -> bool:
    """Return whether every run knows the value of a required input."""
    if source is None:
        return _is_brought_first(view, name)
    path = to_field_path(source.tree) if source.tree is not None else None
    if path is not None and path[0] == "inputs":
        return len(path) > 1 and _is_brought_first(view, path[1])
    return path is not None and infer_nullness(source, source.tree or {}) == "never"


def _is_brought_first(view: WorkflowView, name: str) -> bool:
    """Return whether the first call of each run brings an input of this name."""
    start = view.resolve_target(view.definition.workflow.start)
    spec = view.phases[start].inputs.get(name) if start is not None else None
    return spec is not None and spec.from_ is None and _is_required(spec)
