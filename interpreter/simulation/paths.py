"""Paths: complete runs, selected to cover all that was explored, or listed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from aurora.interpreter.expressions.meter import WorkLimitError
from aurora.interpreter.simulation.values.generate import UnsatisfiableError

from .coverage import Coverage, list_taken_items
from .directions import Directions, map_predecessors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aurora.interpreter.run.step import Step

    from .explore import Exploration, Explorer
    from .plan import SimulationPlan
    from .sources import ValueSource
    from .step import RunState, StepRunner

PathStatus = Literal["ended", "stuck", "cut"]


@dataclass(frozen=True, slots=True)
class Path:
    """A path: the steps of one run.

    Attributes:
        steps: the steps that were taken.
        status: `ended` at an end; `stuck` at a refused call, or at an end where the output does not fit;
            `cut` at the bound on steps.
        reason: for `stuck`, the code and message of the refusal or failure.
    """

    steps: tuple[Step, ...]
    status: PathStatus
    reason: str = ""

    @property
    def signature(self) -> tuple[Any, ...]:
        """The identity of a path: its phases and the rules taken."""
        return (*(_build_step_signature(step) for step in self.steps), self.status)


def _build_step_signature(step: Step) -> tuple[Any, ...]:
    if step.edge is None:
        return (step.phase, None, False)
    return (step.phase, step.edge.rule, "skipped" if step.status == "skipped" else step.edge.spent)


def build_path(moment: RunState) -> Path:
    """Build the path that ends in this state."""
    steps = tuple(step for step in (moment.run.steps if moment.run else ()) if step.decides and step.edge)
    if moment.is_refused or moment.is_failed_end:
        error = moment.response["error"]
        return Path(steps, "stuck", f"{error['code']}: {error['message']}")
    return Path(steps, "ended" if moment.next_phase is None else "cut")


class PathFinder:
    """The finder of complete paths among explored states; `is_cut` is true after a bound left paths out.

    Args:
        plan: the workflow.
        walker: the runner of steps.
        explorer: lists the options of a state.
    """

    def __init__(self, plan: SimulationPlan, walker: StepRunner, explorer: Explorer) -> None:
        self._plan = plan
        self._walker = walker
        self._explorer = explorer
        self._way_out = Directions(plan.workflow, map_predecessors(plan.workflow), None)
        self.is_cut = False

    def select_covering_paths(self, graphs: Sequence[Exploration], most: int, most_calls: int) -> list[Path]:
        """Select few paths that together cover all that was found, the longest first.

        It stops after so many calls, which a large workflow needs to bring each path to its end.
        """
        shown = Coverage(self._plan.workflow)
        found: dict[tuple[Any, ...], Path] = {}
        limit = self._walker.steps + most_calls
        for moment in (one for graph in graphs for one in sorted(graph.states, key=lambda one: -one.depth)):
            if len(found) >= most or self._walker.steps >= limit:
                self.is_cut = True
                break
            items = [one for step in moment.new_steps for one in list_taken_items(self._plan.workflow, step)]
            is_new = any(one not in shown.counts for one in items)
            if not is_new and not (moment.is_refused or moment.is_failed_end):
                continue
            path = build_path(self._lead_to_end(moment))
            self.is_cut |= path.status == "cut"
            found.setdefault(path.signature, path)
            shown.record_steps(path.steps)
        return list(found.values())

    def _lead_to_end(self, moment: RunState) -> RunState:
        """Take the rules that lead the shortest way to an end, as far as the work allows."""
        try:
            while self._explorer.can_continue(moment):
                options = self._explorer.list_options(moment, frozenset()).options
                option = self._way_out.select_option(moment, options)
                if option is None:
                    break
                moment = self._walker.take_step(moment, option.choice)
        except UnsatisfiableError:
            pass
        except WorkLimitError:
            self.is_cut = True
        return moment

    def list_paths(self, focus: frozenset[ValueSource], most: int, most_calls: int) -> list[Path]:
        """List the paths that differ in a rule, depth first, without error routes.

        Values vary as far as the rules of the focus read them, so that there may be others.
        """
        limit = self._walker.steps + most_calls
        found: dict[tuple[Any, ...], Path] = {}
        waiting = [self._walker.start()]
        try:
            while waiting and len(found) < most and self._walker.steps < limit:
                moment = waiting.pop()
                if self._explorer.can_continue(moment):
                    waiting.extend(reversed(self._list_next_states(moment, focus)))
                    continue
                path = build_path(moment)
                self.is_cut |= path.status == "cut"
                found.setdefault(path.signature, path)
        except WorkLimitError:
            self.is_cut = True
        self.is_cut |= bool(waiting)
        return list(found.values())

    def _list_next_states(self, moment: RunState, focus: frozenset[ValueSource]) -> list[RunState]:
        """List the next states, one per edge and state key; one without an edge may be declined."""
        found: dict[tuple[Any, ...], RunState] = {}
        try:
            listed = self._explorer.list_options(moment, focus)
        except UnsatisfiableError:
            return []
        self.is_cut |= listed.is_limited
        for option in listed.options:
            if option.choice.fault is not None:
                continue
            after = self._walker.take_step(moment, option.choice)
            last = after.run.last_step if after.run else None
            edge = None if after.is_refused or last is None else _build_step_signature(last)
            is_declined = last is not None and last.status == "declined"
            found.setdefault((edge, is_declined, self._explorer.build_state_key(after)), after)
        return list(found.values())
