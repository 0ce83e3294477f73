"""Rules and phases that no simulated run took, with the reason."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from aurora.interpreter.checks import analyse_rules
from aurora.interpreter.expressions.meter import WorkLimitError, stop_metering
from aurora.interpreter.simulation.values.generate import UnsatisfiableError

from .branches import StepPlanner

if TYPE_CHECKING:
    from collections.abc import Iterable

    from aurora.interpreter.checks import PhaseOutcomes

    from .coverage import Coverage
    from .explore import Exploration
    from .plan import SimulationPlan
    from .search import CoverageSearch
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
        is_proved: whether no run can take it; else no simulated run did, which proves nothing.
    """

    kind: Literal["phase", "rule", "else"]
    phase: str
    rule: int | None
    reason: str
    bound: bool = False
    is_proved: bool = False


def find_unreached(plan: SimulationPlan, search: CoverageSearch, coverage: Coverage) -> tuple[UnreachedItem, ...]:
    """Find everything that was never taken, in the order of the file."""
    names = plan.workflow.map_phase_names()
    states = _collect_states(search.graphs, plan)
    unsatisfiable = {
        names.get(name, name): reason for graph in search.graphs for name, reason in graph.unsatisfiable.items()
    }
    reached = {phase for kind, phase, _ in coverage.counts if kind == "phase"}
    with stop_metering():
        outcomes = analyse_rules(plan.view)
    is_cut = not search.is_complete
    found: list[UnreachedItem] = []
    for kind, phase, index in coverage.list_missing():
        if kind == "phase":
            is_cut_here = is_cut and phase not in unsatisfiable
            reason = "each run skipped it" if ("skipped", phase, 0) in coverage.counts else ""
            reason = reason or _explain_phase(phase, states, unsatisfiable)
            found.append(UnreachedItem("phase", phase, None, reason, is_cut_here))
        elif phase not in reached:
            continue
        elif kind == "true":
            proved = _prove_dead(outcomes.get(phase), index)
            reason = proved or _explain_rule(plan, index, states.get(phase, []), search.walker.steps)
            is_proved = bool(proved)
            found.append(UnreachedItem("rule", phase, index + 1, reason, is_cut and not is_proved, is_proved))
        elif kind == "else" and ("true", phase, index) in coverage.counts:  # else the rule itself is reported
            reason = f"its limit of {plan.workflow.phases[phase].next_action[index].max} was never reached"
            found.append(UnreachedItem("else", phase, index + 1, reason, is_cut))
    return tuple(found)


def _prove_dead(outcomes: PhaseOutcomes | None, index: int) -> str:
    """Say why a rule wins in no case at all; empty when that is not proved."""
    if outcomes is None or outcomes.outcomes[index].winning_case is not None:
        return ""
    if not outcomes.outcomes[index].sometimes_true:
        return "no value that its schemas allow makes it true"
    return "whenever it is true, a rule before it is true too"


def _collect_states(graphs: Iterable[Exploration], plan: SimulationPlan) -> dict[str, list[RunState]]:
    """Collect the states by the phase that decides next, without those of a refused call."""
    states: dict[str, list[RunState]] = {}
    for graph in graphs:
        for moment in graph.states:
            if moment.next_phase is not None and not moment.is_refused:
                states.setdefault(plan.find_deciding_phase(moment), []).append(moment)
    return states


def _explain_phase(phase: str, states: dict[str, list[RunState]], unsatisfiable: dict[str, str]) -> str:
    if phase in unsatisfiable:
        return f"no value could be generated for it: {unsatisfiable[phase]}"
    return "its calls were refused" if states.get(phase) else "no rule that leads to it was taken"


def _explain_rule(plan: SimulationPlan, index: int, states: list[RunState], calls: int) -> str:
    """Describe what was tried for a rule of a reached phase that was never taken; none of it is a proof."""
    for state in states[:_MAX_STATES]:
        try:
            first = StepPlanner(plan, state).find_shadowing_rule(index)
        except UnsatisfiableError:
            continue
        except WorkLimitError:
            break
        if first is not None and first < index:
            return f"no run took it in {calls:,} calls; where it was true, rule {first + 1} before it was true too"
    return f"no run took it in {calls:,} calls, which does not prove that none can"
