"""Calls of a run: how many a visit of each phase takes at most."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from aurora.interpreter.checks.expressions import Shape, collect_phase_sites, infer_expression
from aurora.interpreter.language import CONTINUE, MAX_ITEMS

from .walk_graph import WalkEdge

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from aurora.interpreter.checks import WorkflowView
    from aurora.interpreter.language import Definition


@dataclass(frozen=True, slots=True)
class CallWeights:
    """Calls by phase.

    Attributes:
        calls: the most calls of one visit of each phase; None where a run of its workflow may not end.
        is_exact: whether each visit can take so many.
    """

    calls: Mapping[str, int | None]
    is_exact: bool


def count_calls(view: WorkflowView, measure: Callable[[Definition], tuple[int | None, bool]]) -> CallWeights:
    """Count the calls of one visit of each phase.

    Args:
        view: the workflow.
        measure: returns the calls of the longest run of another workflow, and whether that number is exact.
    """
    calls: dict[str, int | None] = {CONTINUE: 1}
    is_exact = view.definition.workflow.pace == "phase"
    for name, phase in view.phases.items():
        # a visit asks about each item in a response of its own, when the prompts are long
        items = 1 if phase.for_each is None else count_items(view, name)
        one: int | None = 0 if phase.only_decides and not _needs_caller(view, name) else 1
        if phase.workflow is not None:
            inner = view.find_workflow(name)
            one, inner_exact = measure(inner) if inner is not None else (None, False)
            is_exact = is_exact and inner_exact
        is_exact = is_exact and phase.for_each is None and phase.when is None and phase.branches is None
        calls[name] = None if one is None else one * items * len(phase.branches or (0,))
    return CallWeights(calls, is_exact)


def add_last_answers(view: WorkflowView, ways: Mapping[str, Sequence[WalkEdge]]) -> dict[str, Sequence[WalkEdge]]:
    """Add the call that brings the last answer, to each end that follows a question."""
    added: dict[str, Sequence[WalkEdge]] = {CONTINUE: [WalkEdge(None)]}
    for name, edges in ways.items():
        added[name] = [_add_last_answer(edge) for edge in edges] if view.phases[name].asks else edges
    return added


def _add_last_answer(edge: WalkEdge) -> WalkEdge:
    if edge.fails:
        return edge
    instead = CONTINUE if edge.most is not None and edge.instead is None else edge.instead
    return WalkEdge(CONTINUE if edge.target is None else edge.target, edge.most, instead, edge.fails)


def count_items(view: WorkflowView, phase: str) -> int:
    """Count the items of a `for_each`, as far as its limit or the schema of its list bounds them."""
    loop = view.phases[phase].for_each
    if loop is None:
        return 1
    if loop.limit is not None:
        return loop.limit
    site = next(site for site in collect_phase_sites(view, phase) if site.kind == "for_each")
    shape = infer_expression(site)
    most = (shape.resolve() or {}).get("maxItems") if isinstance(shape, Shape) else None
    return most if isinstance(most, int) else MAX_ITEMS


def _needs_caller(view: WorkflowView, phase: str) -> bool:
    specs = view.phases[phase].inputs.values()
    return any(spec.from_ is None and not spec.optional and not spec.has_default for spec in specs)
