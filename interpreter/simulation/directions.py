"""Directions: the option that leads the shortest way to a phase, or to an end."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from aurora.interpreter.run.phase.rules import decides_by_answer

from .step import find_deciding_phase

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from aurora.interpreter.language.model import Workflow

    from .branches import StepOption
    from .step import RunState

    Predecessors = Mapping[str | None, Sequence[str]]

_FAR = float("inf")


class Directions:
    """The way to one phase of a workflow, or to an end, by its rules.

    Args:
        workflow: the workflow.
        back: by phase, and None for an end, the phases with a rule that leads there.
        target: the phase to reach; None for an end.
    """

    def __init__(self, workflow: Workflow, back: Predecessors, target: str | None) -> None:
        self._workflow = workflow
        self._names = workflow.map_phase_names()
        self._distances = _measure_distances(target, back)

    def measure_distance(self, moment: RunState) -> float:
        """Count the rules from the next phase of a run to the target."""
        last = moment.run.last_step if moment.run else None
        if moment.next_phase is None or (last is not None and last.holds and last.edge is not None):
            return self._distances.get(None, _FAR)
        return self._distances.get(find_deciding_phase(self._workflow, moment), _FAR)

    def select_option(self, moment: RunState, options: Iterable[StepOption]) -> StepOption | None:
        """Select the option that leads nearest to the target; None when none leads there."""
        near = [(self._predict_distance(moment, one), number, one) for number, one in enumerate(options)]
        distance, _, option = min(near, default=(_FAR, 0, None))
        return None if distance == _FAR else option

    def _predict_distance(self, moment: RunState, option: StepOption) -> float:
        """Predict the distance after this option, from the rule that it makes win."""
        if moment.next_phase is None:
            return _FAR
        phase = find_deciding_phase(self._workflow, moment)
        last = moment.run.last_step if moment.run else None
        is_answering = last is not None and last.holds
        if is_answering and last is not None and last.edge is not None:
            return self._distances.get(None, _FAR)
        if not is_answering and decides_by_answer(self._workflow.phases[phase]):
            return self._distances.get(phase, _FAR) if option.choice.fault is None else _FAR
        if option.rule is None:
            return _FAR
        rule = self._workflow.phases[phase].next_action[option.rule]
        taken = moment.run.count_taken(phase, option.rule) if moment.run and rule.max is not None else 0
        is_spent = rule.max is not None and taken >= rule.max
        return self._distances.get(self._names.get((rule.else_ or "") if is_spent else rule.then), _FAR)


def map_predecessors(workflow: Workflow) -> Predecessors:
    """Map each phase, and None for an end, to the phases with a rule that leads there."""
    names = workflow.map_phase_names()
    back: dict[str | None, list[str]] = {}
    for name, phase in workflow.phases.items():
        for rule in phase.next_action:
            back.setdefault(names.get(rule.then), []).append(name)
            if rule.max is not None:
                back.setdefault(names.get(rule.else_ or ""), []).append(name)
    return back


def _measure_distances(target: str | None, back: Predecessors) -> Mapping[str | None, int]:
    """Count the rules from each phase to the target, by the shortest way."""
    found: dict[str | None, int] = {target: 0}
    todo = deque(found)
    while todo:
        here = todo.popleft()
        for before in back.get(here, ()):
            if before not in found:
                found[before] = found[here] + 1
                todo.append(before)
    return found
