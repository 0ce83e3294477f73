"""Exploration of a workflow: each state that rules can tell apart is expanded once."""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from aurora.interpreter.run import scope
from aurora.interpreter.schema import to_canonical_json
from aurora.interpreter.simulation.values import UnsatisfiableError

from .branches import StepOption, StepPlanner

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.interpreter.run import Edge

    from .coverage import Coverage
    from .plan import SimulationPlan
    from .sources import ValueSource
    from .step import RunState, StepRunner


@dataclass(slots=True)
class StateNode:
    """A node of the explored graph: a state of a run.

    Attributes:
        state: the state of a run here.
        depth: the number of steps of that run.
        parent: the node before and the option that led here; None at the beginning.
        edges: the options that were taken from here, with the node that each leads to.
        is_final: whether nothing follows: the run ended, or its last call was refused.
    """

    state: RunState
    depth: int
    parent: tuple[StateNode, StepOption] | None = None
    edges: list[tuple[StepOption, StateNode]] = field(default_factory=list)
    is_final: bool = False

    def last_edge(self) -> Edge | None:
        """Return the edge that led here."""
        return self.state.run.last_step.edge if self.state.run and self.state.run.last_step else None


@dataclass(slots=True)
class Exploration:
    """The graph that one exploration found.

    Attributes:
        nodes: all states, in the order of discovery.
        focus: the sources that were varied for later rules.
        is_complete: whether every state was expanded; else the bound on calls or steps ended the exploration.
        unsatisfiable: by phase, the reason why no value could be generated for it.
    """

    focus: frozenset[ValueSource]
    nodes: list[StateNode] = field(default_factory=list)
    is_complete: bool = True
    unsatisfiable: dict[str, str] = field(default_factory=dict)


class Explorer:
    """The explorer of one workflow.

    Args:
        plan: the workflow.
        walker: the runner of steps.
        coverage: records each step.
        most_steps: the most steps of a run.
    """

    def __init__(self, plan: SimulationPlan, walker: StepRunner, coverage: Coverage, most_steps: int) -> None:
        self._plan = plan
        self._walker = walker
        self._coverage = coverage
        self._most_steps = most_steps
        self._options: dict[tuple[str, frozenset[ValueSource]], list[StepOption]] = {}

    def explore(self, focus: frozenset[ValueSource], most_calls: int) -> Exploration:
        """Expand every state, newly covered ones first, until all are done or calls run out."""
        found = Exploration(focus)
        root = StateNode(self._walker.start(), 0)
        found.nodes.append(root)
        known = {self.build_state_key(root.state): root}
        waiting: list[tuple[int, int, int, StateNode]] = [(0, 0, 0, root)]
        limit = self._walker.steps + most_calls
        while waiting:
            node = heapq.heappop(waiting)[-1]
            if node.depth >= self._most_steps:
                found.is_complete = False
                continue
            for option in self._iterate_options(node, found):
                if self._walker.steps >= limit:
                    found.is_complete = False
                    return found
                child, new = self._take_option(node, option, known, found)
                if child is not None:
                    heapq.heappush(waiting, (0 if new else 1, child.depth, len(found.nodes), child))
        return found

    def _iterate_options(self, node: StateNode, found: Exploration) -> Iterator[StepOption]:
        try:
            yield from self.list_options(node.state, found.focus)
        except UnsatisfiableError as reason:
            node.is_final = True
            found.unsatisfiable.setdefault(str(node.state.next_phase), str(reason))

    def _take_option(
        self, node: StateNode, option: StepOption, known: dict[str, StateNode], found: Exploration
    ) -> tuple[StateNode | None, bool]:
        """Take an option; return the new node (None if known) and whether coverage grew."""
        moment = self._walker.take_step(node.state, option.choice)
        child = StateNode(moment, node.depth + 1, (node, option))
        child.is_final = moment.is_refused or moment.next_phase is None
        new = self._coverage.record_response(moment.response)
        if not child.is_final:
            key = self.build_state_key(moment)
            if key in known:
                node.edges.append((option, known[key]))
                if new:
                    found.nodes.append(child)  # kept for its edge; the known node is the one to expand
                    child.edges = known[key].edges
                return None, new
            known[key] = child
        node.edges.append((option, child))
        found.nodes.append(child)
        return (None if child.is_final else child), new

    def list_options(self, moment: RunState, focus: frozenset[ValueSource]) -> list[StepOption]:
        """List the options of a state; cached for states that no rule can tell apart.

        Raises:
            UnsatisfiableError: no value can be generated for its next phase.
        """
        key = (self.build_state_key(moment), focus)
        if key not in self._options:
            self._options[key] = StepPlanner(self._plan, moment).list_options(focus)
        return self._options[key]

    def build_state_key(self, moment: RunState) -> str:
        """Build the key of a state from all that decides how the run can go on."""
        run, coming = moment.run, moment.next_phase
        if run is None or coming is None or run.last_step is None:
            return to_canonical_json([coming, None])
        plan = self._plan
        target = plan.workflow.map_phase_names()[coming]
        live = sorted(plan.find_live_sources(target))
        phases = scope.find_last_visits(run, {one.phase for one in live})
        values = [one.read_value(phases) for one in live]
        counts = [
            run.count_taken(name, index)
            for name in sorted(plan.bounded_phases & plan.find_reachable(target))
            for index, rule in enumerate(plan.workflow.phases[name].next_action)
            if rule.max is not None
        ]
        owed: list[Any] = [run.last_step.phase, run.last_step.asks] if run.last_step.awaits_answer else []
        length = len(run.steps) if plan.is_step_dependent else 0
        return to_canonical_json([target, owed, sorted(moment.needs), values, counts, length])
