"""Paths: complete runs, selected to cover all that was explored, or enumerated."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from aurora.interpreter.expressions.meter import WorkLimitError
from aurora.interpreter.simulation.values.generate import UnsatisfiableError

from .coverage import Coverage, list_taken_items
from .directions import Directions, map_predecessors

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aurora.interpreter.run.step import Step

    from .branches import StepOption
    from .explore import Exploration, Explorer, StateNode
    from .plan import SimulationPlan
    from .sources import ValueSource
    from .step import RunState, StepChoice, StepRunner

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
    """The finder of complete paths in explored graphs.

    `is_cut` is true after a bound left paths out, and `is_sampled` after a state had more values than were tried.

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
        self.is_sampled = False

    def select_covering_paths(self, graphs: Sequence[Exploration], most: int, most_calls: int) -> list[Path]:
        """Select few paths that together cover all that was found, the longest first.

        It stops after so many calls, which a large workflow needs to bring each path to its end.
        """
        shown = Coverage(self._plan.workflow)
        found: dict[tuple[Any, ...], Path] = {}
        limit = self._walker.steps + most_calls
        for graph in graphs:
            homeward = {} if graph.is_merged else _find_shortest_exits(graph)
            for node in sorted(graph.nodes, key=lambda node: -node.depth):
                if len(found) >= most or self._walker.steps >= limit:
                    self.is_cut = True
                    return list(found.values())
                items = [one for step in node.state.new_steps for one in list_taken_items(self._plan.workflow, step)]
                new = any(one not in shown.counts for one in items)
                if not new and not (node.state.is_refused or node.state.is_failed_end):
                    continue
                try:
                    path = build_path(self._complete_run(node, homeward, graph.focus))
                except WorkLimitError:
                    path = build_path(node.state)
                    found.setdefault(path.signature, path)
                    self.is_cut = True
                    return list(found.values())
                self.is_cut |= path.status == "cut"
                found.setdefault(path.signature, path)
                shown.record_steps(path.steps)
        return list(found.values())

    def _complete_run(
        self, node: StateNode, homeward: dict[int, tuple[StepOption, StateNode]], focus: frozenset[ValueSource]
    ) -> RunState:
        """Complete the node's run along the shortest path to an end."""
        moment, here = node.state, node
        while self._explorer.can_continue(moment):
            step = homeward.get(id(here))
            if step is None:
                break
            option, here = step
            moment = self._walker.take_step(moment, self._match_option(moment, option, focus))
        return self._lead_to_end(moment)

    def _lead_to_end(self, moment: RunState) -> RunState:
        """Take the rules that lead the shortest way to an end."""
        while self._explorer.can_continue(moment):
            try:
                options = self._explorer.list_options(moment, frozenset()).options
            except UnsatisfiableError:
                break
            option = self._way_out.select_option(moment, options)
            if option is None:
                break
            moment = self._walker.take_step(moment, option.choice)
        return moment

    def _match_option(self, moment: RunState, option: StepOption, focus: frozenset[ValueSource]) -> StepChoice:
        """Match an option in this state, which may owe an answer that no rule reads."""
        try:
            own = self._explorer.list_options(moment, focus).options
        except UnsatisfiableError:
            return option.choice
        return next((one.choice for one in own if (one.rule, one.marks) == (option.rule, option.marks)), option.choice)

    def enumerate_paths(self, focus: frozenset[ValueSource], most: int, most_calls: int) -> Iterator[Path]:
        """Enumerate every path of rules once, depth first, without error routes."""
        limit = self._walker.steps + most_calls
        seen: set[tuple[Any, ...]] = set()
        waiting = [self._walker.start()]
        while waiting and len(seen) < most and self._walker.steps < limit:
            moment = waiting.pop()
            if not self._explorer.can_continue(moment):
                path = build_path(moment)
                self.is_cut |= path.status == "cut"
                if path.signature not in seen:
                    seen.add(path.signature)
                    yield path
                continue
            waiting.extend(reversed(self._list_next_states(moment, focus)))
        self.is_cut |= bool(waiting)

    def _list_next_states(self, moment: RunState, focus: frozenset[ValueSource]) -> list[RunState]:
        """List the next states, one per edge and state key; one without an edge may be declined."""
        found: dict[tuple[Any, ...], RunState] = {}
        try:
            listed = self._explorer.list_options(moment, focus)
        except UnsatisfiableError:
            return []
        self.is_sampled |= listed.is_sampled or listed.is_limited
        for option in listed.options:
            if option.choice.fault is not None:
                continue
            after = self._walker.take_step(moment, option.choice)
            last = after.run.last_step if after.run else None
            edge = None if after.is_refused or last is None else _build_step_signature(last)
            is_declined = last is not None and last.status == "declined"
            found.setdefault((edge, is_declined, self._explorer.build_state_key(after)), after)
        return list(found.values())


def _find_shortest_exits(graph: Exploration) -> dict[int, tuple[StepOption, StateNode]]:
    """Find, by node, the first step of the shortest path to an end.

    A path on which a tool fails is taken only where there is no other, and one to a refusal only after that.
    """
    back: dict[int, list[tuple[StateNode, StepOption, StateNode]]] = {}
    for node in graph.nodes:
        for option, child in node.edges:
            back.setdefault(id(child), []).append((node, option, child))
    found: dict[int, tuple[StepOption, StateNode]] = {}
    for refused, failing in ((False, False), (False, True), (True, True)):
        home = [
            node for node in graph.nodes if (node.is_final and node.state.is_refused is refused) or id(node) in found
        ]
        todo = deque(home)
        while todo:
            for before, option, child in back.get(id(todo.popleft()), ()):
                if id(before) not in found and not before.is_final and (failing or option.choice.fault is None):
                    found[id(before)] = (option, child)
                    todo.append(before)
    return found
