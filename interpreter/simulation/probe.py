"""Probes: directed runs to a limit, or to a rule that needs certain earlier values."""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, Any

from aurora.interpreter.simulation.values import UnsatisfiableError

from .branches import StepPlanner
from .directions import Directions, map_predecessors
from .explore import StateNode

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from .coverage import Coverage, CoverageItem
    from .explore import Explorer
    from .plan import SimulationPlan
    from .sources import ValueSource
    from .step import RunState, StepRunner

MAX_DETOUR = 200
"""The most calls of one probe, beyond one for each phase."""


class Prober:
    """The maker of runs that lead to what an exploration left out.

    Args:
        plan: the workflow.
        walker: the runner of steps.
        explorer: lists the options of a state.
        coverage: records each step.
        most_calls: the number of calls at which the walker stops.
    """

    def __init__(
        self, plan: SimulationPlan, walker: StepRunner, explorer: Explorer, coverage: Coverage, most_calls: int
    ) -> None:
        self._plan = plan
        self._walker = walker
        self._explorer = explorer
        self._coverage = coverage
        self._most_calls = most_calls
        self._back = map_predecessors(plan.workflow)
        self._directions: dict[str, Directions] = {}

    @property
    def is_exhausted(self) -> bool:
        """True when no calls are left."""
        return self._walker.steps >= self._most_calls

    def use_up_limit(self, item: CoverageItem, start: StateNode) -> StateNode | None:
        """Take a rule until its limit is used up, from a state whose next phase has it; None if that fails."""
        _, phase, index = item
        moment = start.state
        for _ in range(MAX_DETOUR):
            if self.is_exhausted or not self._explorer.can_continue(moment):
                break
            try:
                options = self._explorer.list_options(moment, frozenset()).options
            except UnsatisfiableError:
                break
            if self._plan.find_deciding_phase(moment) == phase:
                option = next((one for one in options if one.rule == index), None)
            else:
                option = self._find_directions(phase).select_option(moment, options)
            if option is None:
                break
            moment = self._walker.take_step(moment, option.choice)
            self._coverage.record_steps(moment.new_steps)
            if item in self._coverage.counts:
                return _make_node(moment)
        return None

    def reach_rule(self, item: CoverageItem, start: StateNode) -> StateNode | None:
        """Search for values for which a rule wins, then for a run that brings them; None if either fails."""
        _, phase, index = item
        try:
            values = StepPlanner(self._plan, start.state).find_winning_values(index)
        except UnsatisfiableError:
            return None
        return None if values is None else self._bring_values(item, values, self._find_directions(phase))

    def _bring_values(
        self, item: CoverageItem, values: Mapping[ValueSource, Any], directions: Directions
    ) -> StateNode | None:
        """Search for a run to the rule, nearest states first, with every value at the step that can bring it."""
        rank = self._rank_states(values, directions)
        waiting: list[tuple[tuple[float, ...], int, RunState]] = [((0.0,), 0, self._walker.start())]
        known: set[Any] = set()
        limit = min(self._most_calls, self._walker.steps + MAX_DETOUR + 2 * len(self._plan.workflow.phases))
        while waiting and self._walker.steps < limit:
            moment = heapq.heappop(waiting)[-1]
            try:
                options = StepPlanner(self._plan, moment).list_options(frozenset(), values).options
            except UnsatisfiableError:
                continue
            for option in options:
                after = self._walker.take_step(moment, option.choice)
                self._coverage.record_steps(after.new_steps)
                if item in self._coverage.counts:
                    return _make_node(after)
                if not self._explorer.can_continue(after):
                    continue
                key = self._explorer.build_state_key(after)
                if key not in known:
                    known.add(key)
                    heapq.heappush(waiting, (rank(after), self._walker.steps, after))
        return None

    def _rank_states(
        self, values: Mapping[ValueSource, Any], directions: Directions
    ) -> Callable[[RunState], tuple[float, ...]]:
        """Return a function that ranks states: by missing values while far from the rule, then by distance."""

        def rank(moment: RunState) -> tuple[float, ...]:
            visited = {step.phase for step in moment.run.steps} if moment.run else set()
            missing = len({source.phase for source in values} - visited)
            return (directions.measure_distance(moment) + missing, len(visited))

        return rank

    def _find_directions(self, phase: str) -> Directions:
        if phase not in self._directions:
            self._directions[phase] = Directions(self._plan.workflow, self._back, phase)
        return self._directions[phase]


def _make_node(moment: RunState) -> StateNode:
    return StateNode(moment, len(moment.run.steps) if moment.run else 0)
