"""Rules and phases that no simulated run took, with the reason."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from aurora.interpreter.simulation.values import UnsatisfiableError

from .branches import StepPlanner

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .coverage import Coverage
    from .explore import Exploration
    from .plan import SimulationPlan
    from .step import RunState

_MAX_STATES = 8
"""The most states of one phase that are examined for the reason."""


@dataclass(frozen=True, slots=True)
class UnreachedItem:
    """A rule or phase that was never taken.

    Attributes:
        kind: `phase`, `rule` or `else`.
        phase: the phase.
        rule: its number, from 1; None for a phase.
        reason: the reason, in one sentence.
        bound: whether only a bound on calls or steps may be the cause.
    """

    kind: Literal["phase", "rule", "else"]
    phase: str
    rule: int | None
    reason: str
    bound: bool = False


def find_unreached(
    plan: SimulationPlan, graphs: Sequence[Exploration], coverage: Coverage
) -> tuple[UnreachedItem, ...]:
    """Find everything that was never taken, in the order of the file."""
    moments: dict[str, list[RunState]] = {}
    names = plan.workflow.map_phase_names()
    for graph in graphs:
        for node in graph.nodes:
            if node.state.next_phase is not None and not node.state.is_refused:
                moments.setdefault(names[node.state.next_phase], []).append(node.state)
    cut = not graphs[-1].is_complete
    unmade = {names[name]: reason for graph in graphs for name, reason in graph.unsatisfiable.items()}
    reached = {phase for kind, phase, _ in coverage.counts if kind == "phase"}
    found: list[UnreachedItem] = []
    for kind, phase, index in coverage.list_missing():
        if kind == "phase":
            found.append(UnreachedItem("phase", phase, None, _explain_phase(phase, moments, unmade), cut))
        elif kind in ("true", "else") and phase in reached:
            rule = plan.workflow.phases[phase].next_action[index]
            if kind == "true":
                reason = _explain_rule(plan, phase, index, moments.get(phase, []))
            elif ("true", phase, index) not in coverage.counts:
                continue  # the rule itself is reported
            else:
                reason = f"its limit of {rule.max} was never reached"
            found.append(UnreachedItem("rule" if kind == "true" else "else", phase, index + 1, reason, cut))
    return tuple(found)


def _explain_phase(phase: str, moments: dict[str, list[RunState]], unmade: dict[str, str]) -> str:
    if phase in unmade:
        return f"no value could be generated for it: {unmade[phase]}"
    return "its calls were refused" if moments.get(phase) else "no rule that leads to it was taken"


def _explain_rule(plan: SimulationPlan, phase: str, index: int, moments: list[RunState]) -> str:
    """Explain why a rule of a reached phase was never taken."""
    when = plan.workflow.phases[phase].next_action[index].when
    for moment in moments[:_MAX_STATES]:
        try:
            turn = StepPlanner(plan, moment)
            first = turn.find_shadowing_rule(index)
        except UnsatisfiableError:
            continue
        if first is not None:
            return f"whenever it is true, rule {first + 1} before it is true too"
    if when is None:
        return "a rule before it is always true"
    return "no value that its schemas allow makes it true"
