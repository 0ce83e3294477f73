"""Proofs about every run of a workflow: path count, longest run, termination, tokens."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING

from aurora.interpreter.checks import view_definition
from aurora.interpreter.checks.rules import find_dead_rules
from aurora.interpreter.run import MAX_DEPTH
from aurora.interpreter.templates import strip_tags

from .call_count import add_last_answers, count_calls, count_items
from .longest_walk import WalkLength, measure_longest_walk
from .path_count import PathMetrics
from .walk_graph import WalkEdge

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from aurora.interpreter.checks import WorkflowView
    from aurora.interpreter.language import Definition
    from aurora.interpreter.run import Toolbox

CHARACTERS_PER_TOKEN = 4
"""A rough estimate for English prose and code in current tokenizers."""


@dataclass(frozen=True, slots=True)
class WorkflowProof:
    """The proved properties of a workflow without errors.

    Attributes:
        phases: the number of phases.
        paths: the number of paths from the start to an end, without failures; each round of a bounded edge counts.
            None when there are too many to count.
        longest_run_calls: the calls of the longest run, with failures; None when a run may not end.
        is_longest_exact: whether some path has so many calls; else no path has more, which is all that is proved.
        always_ends: whether every run comes to an end.
        prompt_tokens: by phase, the estimated tokens of its prompt's own words, without filled-in values.
        worst_path_tokens: the most of these that one run can use; None when a run may not end.
        is_worst_exact: whether some path uses so many; else no path uses more.
    """

    phases: int
    paths: int | None
    longest_run_calls: int | None
    always_ends: bool
    prompt_tokens: Mapping[str, int]
    worst_path_tokens: int | None
    is_longest_exact: bool = True
    is_worst_exact: bool = True


def prove_workflow(definition: Definition, tools: Toolbox | None) -> WorkflowProof:
    """Prove properties of every run of a definition without errors."""
    return _prove(definition, tools, 0)


def _prove(definition: Definition, tools: Toolbox | None, depth: int) -> WorkflowProof:
    view = view_definition(definition, tools)
    walks = _build_path_metrics(view)
    tokens = {name: estimate_tokens(prompt.text) for name, prompt in definition.prompts.items()}
    words = {name: _count_words(view, name, tokens) for name in view.phases}
    paths = walks.count_walks() if walks else None
    is_small = paths is not None
    longest = _measure_calls(view, walks, is_small=is_small, depth=depth)
    worst = _measure_longest(walks, lambda name: words[name], is_small=is_small)
    return WorkflowProof(
        phases=len(view.phases),
        paths=paths,
        longest_run_calls=longest.length if longest else None,
        always_ends=_is_terminating(view),
        prompt_tokens=tokens,
        worst_path_tokens=worst.length if worst else None,
        is_longest_exact=longest is not None and longest.is_exact,
        is_worst_exact=worst is not None and worst.is_exact,
    )


def _measure_calls(view: WorkflowView, walks: PathMetrics | None, *, is_small: bool, depth: int) -> WalkLength | None:
    """Measure the calls of the longest run, with those of the workflows that its phases run."""
    if walks is None or depth > MAX_DEPTH:
        return None

    def measure(inner: Definition) -> tuple[int | None, bool]:
        proof = _prove(inner, view.tools, depth + 1)
        return proof.longest_run_calls, proof.is_longest_exact

    weights = count_calls(view, measure)
    if any(calls is None for calls in weights.calls.values()):
        return None
    calling = PathMetrics(walks.start, add_last_answers(view, walks.ways))
    found = _measure_longest(calling, lambda name: weights.calls[name] or 0, is_small=is_small)
    return found and WalkLength(max(found.length, 1), found.is_exact and weights.is_exact)


def _count_words(view: WorkflowView, phase: str, tokens: Mapping[str, int]) -> int:
    """Count the estimated tokens of all prompts of one visit of a phase."""
    own = sum(count for name, count in tokens.items() if name == phase or name.startswith(f"{phase}."))
    return own * count_items(view, phase) if own else 0


def _measure_longest(walks: PathMetrics | None, weight: Callable[[str], int], *, is_small: bool) -> WalkLength | None:
    """Measure the longest walk; where only a bound is known, examine each state of a small workflow."""
    if walks is None:
        return None
    found = measure_longest_walk(walks.start, walks.ways, weight)
    if found is None or found.is_exact or not is_small:
        return found
    exact = walks.measure_longest(weight)
    return found if exact is None else WalkLength(exact, is_exact=True)


def measure_longest_run(definition: Definition) -> int | None:
    """Count the calls of the longest run; None when that is unknown."""
    return prove_workflow(definition, None).longest_run_calls


def count_paths(definition: Definition) -> int | None:
    """Count the paths from the start to an end; None when there are too many."""
    return prove_workflow(definition, None).paths


def estimate_tokens(text: str) -> int:
    """Estimate the number of tokens of a template's own words."""
    return ceil(len(strip_tags(text).strip()) / CHARACTERS_PER_TOKEN)


def _build_path_metrics(view: WorkflowView) -> PathMetrics | None:
    start = view.resolve_target(view.definition.workflow.start)
    if start is None:
        return None
    dead_rules = find_dead_rules(view)
    ways: dict[str, list[WalkEdge]] = {name: [] for name in view.phases}
    for name, index, rule, _ in view.rules():
        if (name, index) not in dead_rules:
            instead = view.resolve_target(rule.else_) if rule.else_ else None
            ways[name].append(WalkEdge(view.resolve_target(rule.then), rule.max, instead))
    for transition in view.transitions():
        if transition.rule is None:
            ways[transition.source].append(WalkEdge(transition.target, fails=transition.kind == "on_error"))
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
