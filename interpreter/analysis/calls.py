"""The calls that a visit to a phase takes, and the calls that the end of a run takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from aurora.interpreter.checks.expressions import Shape, collect_phase_sites, infer_expression
from aurora.interpreter.language import END, MAX_ITEMS

if TYPE_CHECKING:
    from aurora.interpreter.checks import WorkflowView
    from aurora.interpreter.language import Phase, Workflow


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


def is_doubtful(flow: Workflow, phase: str, items: int) -> bool:
    """Return whether a run may take fewer calls than are counted for this phase, on any path through it."""
    spec = flow.phases[phase]
    leaves = any(rule.then == END or (rule.max and rule.else_ in (None, END)) for rule in spec.next_action)
    if spec.workflow is not None or spec.when is not None or count_rounds(spec, items) > 1:
        return True
    return flow.pace == "phase" and leaves and is_passed(flow, phase)
