"""Rules and phases that no simulated run took, with the reason."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from aurora.interpreter.simulation.values import UnsatisfiableError

from .branches import StepPlanner

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

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
    names = plan.workflow.map_phase_names()
    states = _collect_states(graphs, names)
    is_cut = not graphs[-1].is_complete
    unsatisfiable = {names[name]: reason for graph in graphs for name, reason in graph.unsatisfiable.items()}
    reached = {phase for kind, phase, _ in coverage.counts if kind == "phase"}
    found: list[UnreachedItem] = []
    for kind, phase, index in coverage.list_missing():
        if kind == "phase":
            found.append(UnreachedItem("phase", phase, None, _explain_phase(phase, states, unsatisfiable), is_cut))
        elif phase not in reached:
            continue
        elif kind == "true":
            reason = _explain_rule(plan, phase, index, states.get(phase, []))
            found.append(UnreachedItem("rule", phase, index + 1, reason, is_cut))
        elif kind == "else" and ("true", phase, index) in coverage.counts:  # else the rule itself is reported
            reason = f"its limit of {plan.workflow.phases[phase].next_action[index].max} was never reached"
            found.append(UnreachedItem("else", phase, index + 1, reason, is_cut))
    return tuple(found)


def _collect_states(graphs: Iterable[Exploration], names: Mapping[str, str]) -> dict[str, list[RunState]]:
    """Collect the states by their next phase, without those of a refused call."""
    states: dict[str, list[RunState]] = {}
    for graph in graphs:
        for node in graph.nodes:
            if node.state.next_phase is not None and not node.state.is_refused:
                states.setdefault(names[node.state.next_phase], []).append(node.state)
    return states


def _explain_phase(phase: str, states: dict[str, list[RunState]], unsatisfiable: dict[str, str]) -> str:
    if phase in unsatisfiable:
        return f"no value could be generated for it: {unsatisfiable[phase]}"
    return "its calls were refused" if states.get(phase) else "no rule that leads to it was taken"


def _explain_rule(plan: SimulationPlan, phase: str, index: int, states: list[RunState]) -> str:
    """Explain why a rule of a reached phase was never taken."""
    when = plan.workflow.phases[phase].next_action[index].when
    for state in states[:_MAX_STATES]:
        try:
            first = StepPlanner(plan, state).find_shadowing_rule(index)
        except UnsatisfiableError:
            continue
        if first is not None:
            return f"whenever it is true, rule {first + 1} before it is true too"
    if when is None:
        return "a rule before it is always true"
    return "no value that its schemas allow makes it true"
