"""Rules and phases that no walk could take, and why that is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from aurora.interpreter.simulation.values.generate import Unmakeable

from .branches import Turn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .coverage import Coverage
    from .explore import Explored
    from .plan import Plan
    from .step import Moment

_MOST_MOMENTS = 8
"""Moments of one phase that are looked at to say why a rule was never taken."""


@dataclass(frozen=True, slots=True)
class Suspect:
    """What was never taken.

    Attributes:
        kind: `phase`, `rule` or `else`.
        phase: whose.
        rule: its number, from 1; None for a phase.
        reason: one sentence.
        bound: whether only the bound on calls or steps may be to blame.
    """

    kind: Literal["phase", "rule", "else"]
    phase: str
    rule: int | None
    reason: str
    bound: bool = False


def suspects(plan: Plan, graphs: Sequence[Explored], coverage: Coverage) -> tuple[Suspect, ...]:
    """All of them, in the order of the file."""
    moments: dict[str, list[Moment]] = {}
    names = plan.workflow.names()
    for graph in graphs:
        for node in graph.nodes:
            if node.moment.coming is not None and not node.moment.refused:
                moments.setdefault(names[node.moment.coming], []).append(node.moment)
    cut = not graphs[-1].whole
    unmade = {names[name]: reason for graph in graphs for name, reason in graph.unmade.items()}
    reached = {phase for kind, phase, _ in coverage.counts if kind == "phase"}
    found: list[Suspect] = []
    for kind, phase, index in coverage.missing():
        if kind == "phase":
            found.append(Suspect("phase", phase, None, _unreached(phase, moments, unmade), cut))
        elif kind in ("true", "else") and phase in reached:
            rule = plan.workflow.phases[phase].next_action[index]
            if kind == "true":
                reason = _why(plan, phase, index, moments.get(phase, []))
            elif ("true", phase, index) not in coverage.counts:
                continue  # the rule itself is told
            else:
                reason = f"its bound of {rule.max} was never used up"
            found.append(Suspect("rule" if kind == "true" else "else", phase, index + 1, reason, cut))
    return tuple(found)


def _unreached(phase: str, moments: dict[str, list[Moment]], unmade: dict[str, str]) -> str:
    if phase in unmade:
        return f"nothing could be brought to it: {unmade[phase]}"
    return "its calls were refused" if moments.get(phase) else "no rule that leads to it was taken"


def _why(plan: Plan, phase: str, index: int, moments: list[Moment]) -> str:
    """Why a rule of a phase that was reached was never taken."""
    when = plan.workflow.phases[phase].next_action[index].when
    for moment in moments[:_MOST_MOMENTS]:
        try:
            turn = Turn(plan, moment)
            first = turn.before(index)
        except Unmakeable:
            continue
        if first is not None:
            return f"whenever it holds, rule {first + 1} holds before it"
    if when is None:
        return "some rule before it always holds"
    return "nothing that its schemas allow makes it true"
