"""Paths: complete runs, selected to cover all that was explored, or enumerated."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from aurora.interpreter.simulation.values import UnsatisfiableError

from .coverage import Coverage, list_taken_items

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aurora.interpreter.run import Edge, Run, Step

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
        status: `ended` at an end; `stuck` at a refused call; `cut` at the bound on steps.
        reason: for `stuck`, the code and message of the refusal.
    """

    steps: tuple[Step, ...]
    status: PathStatus
    reason: str = ""

    @property
    def signature(self) -> tuple[Any, ...]:
        """The identity of a path: its phases and the rules taken."""
        return (*(_build_edge_signature(step.phase, step.edge) for step in self.steps), self.status)


def _build_edge_signature(phase: str, edge: Edge | None) -> tuple[Any, ...]:
    return (phase, edge.rule, edge.spent) if edge else (phase, None, False)


def build_path(moment: RunState) -> Path:
    """Build the path that ends in this state."""
    steps = moment.run.steps if moment.run else ()
    if moment.is_refused:
        error = moment.response["error"]
        return Path(steps, "stuck", f"{error['code']}: {error['message']}")
    return Path(steps, "ended" if moment.next_phase is None else "cut")


class PathFinder:
    """The finder of complete paths in explored graphs.

    Args:
        plan: the workflow.
        walker: the runner of steps.
        explorer: lists the options of a state.
        most_steps: the most steps of a path.
    """

    def __init__(self, plan: SimulationPlan, walker: StepRunner, explorer: Explorer, most_steps: int) -> None:
        self._plan = plan
        self._walker = walker
        self._explorer = explorer
        self._most_steps = most_steps

    def select_covering_paths(self, graphs: Sequence[Exploration], most: int) -> list[Path]:
        """Select few paths that together cover all that was found, the longest first."""
        shown = Coverage(self._plan.workflow)
        found: list[Path] = []
        for graph in graphs:
            homeward = _find_shortest_exits(graph)
            for node in sorted(graph.nodes, key=lambda node: -node.depth):
                if len(found) >= most:
                    return found
                new = any(one not in shown.counts for one in list_taken_items(self._plan.workflow, node.state.response))
                if not new and not node.state.is_refused:
                    continue
                path = build_path(self._complete_run(node, homeward, graph.focus))
                if path.signature not in {one.signature for one in found}:
                    found.append(path)
                for step in path.steps:
                    shown.record_response(step.response)
        return found

    def _complete_run(
        self, node: StateNode, homeward: dict[int, tuple[StepOption, StateNode]], focus: frozenset[ValueSource]
    ) -> RunState:
        """Complete the node's run along the shortest path to an end."""
        moment, here = node.state, node
        while (
            moment.next_phase is not None and not moment.is_refused and len(_list_steps(moment.run)) < self._most_steps
        ):
            step = homeward.get(id(here))
            if step is None:
                break
            option, here = step
            moment = self._walker.take_step(moment, self._match_option(moment, option, focus))
        return moment

    def _match_option(self, moment: RunState, option: StepOption, focus: frozenset[ValueSource]) -> StepChoice:
        """Match an option in this state, which may owe an answer that no rule reads."""
        try:
            own = self._explorer.list_options(moment, focus)
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
            if moment.next_phase is None or moment.is_refused or len(_list_steps(moment.run)) >= self._most_steps:
                path = build_path(moment)
                if path.signature not in seen:
                    seen.add(path.signature)
                    yield path
                continue
            waiting.extend(reversed(self._list_next_states(moment, focus)))

    def _list_next_states(self, moment: RunState, focus: frozenset[ValueSource]) -> list[RunState]:
        """List the next states, one per edge and state key."""
        found: dict[tuple[Any, ...], RunState] = {}
        try:
            options = self._explorer.list_options(moment, focus)
        except UnsatisfiableError:
            return []
        for option in options:
            if option.choice.fault is not None:
                continue
            after = self._walker.take_step(moment, option.choice)
            last = after.run.last_step if after.run else None
            edge = None if after.is_refused or last is None else _build_edge_signature(last.phase, last.edge)
            found.setdefault((edge, self._explorer.build_state_key(after)), after)
        return list(found.values())


def _list_steps(run: Run | None) -> tuple[Step, ...]:
    return run.steps if run else ()


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
