"""Outputs of the workflows that run as phases: those that simulated runs of them end with."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from aurora.interpreter.expressions import WorkLimitError
from aurora.interpreter.run import MAX_DEPTH
from aurora.interpreter.schema import to_canonical_json

from .coverage import Coverage
from .explore import Explorer
from .plan import SimulationPlan
from .step import StepRunner

if TYPE_CHECKING:
    from aurora.interpreter.checks import KnownWorkflows
    from aurora.interpreter.language import Definition
    from aurora.interpreter.run import Toolbox

    from .explore import Exploration
    from .sources import OutputReading

MAX_CALLS = 500
"""The most simulated calls of one inner workflow."""
MAX_STEPS = 200
"""The most calls of one run of an inner workflow."""


@dataclass(slots=True)
class CallBudget:
    """The simulated calls that are left for all inner workflows of one simulation."""

    left: int = 2_000


@dataclass(frozen=True, slots=True)
class InnerWalker:
    """The simulator of inner workflows; implements `OutputFinder`.

    Attributes:
        tools: those that their phases use.
        known: the workflows that their phases run.
        budget: the calls that are left.
        depth: the number of workflows around them.
    """

    tools: Toolbox | None
    known: KnownWorkflows | None
    budget: CallBudget = field(default_factory=CallBudget)
    depth: int = 1

    def find_outputs(self, definition: Definition, reading: OutputReading) -> tuple[Any, ...]:
        """Find outputs that runs of a workflow end with, with inputs of their own; empty if none was found.

        Args:
            definition: the workflow.
            reading: the use of its output by the workflow around it.
        """
        if self.depth > MAX_DEPTH or self.budget.left <= 0:
            return ()
        if definition.workflow.output is None:
            return ({},)
        try:
            return self._walk(definition, reading)
        except WorkLimitError:
            return ()

    def _walk(self, definition: Definition, reading: OutputReading) -> tuple[Any, ...]:
        """Explore a workflow, and collect the outputs of its runs.

        Raises:
            WorkLimitError: it takes too much work.
        """
        deeper = InnerWalker(self.tools, self.known, self.budget, self.depth + 1)
        plan = SimulationPlan(definition, self.tools, self.known, deeper, reading)
        walker = StepRunner(definition)
        explorer = Explorer(plan, walker, Coverage(definition.workflow), MAX_STEPS)
        every = frozenset(one for sources in plan.sources_by_phase.values() for one in sources)
        if not plan.is_every_walk_known:
            return ()
        graph = explorer.explore(every, min(self.budget.left, MAX_CALLS))
        self.budget.left -= walker.steps
        return _collect_outputs(graph)


def _collect_outputs(graph: Exploration) -> tuple[Any, ...]:
    found: dict[str, Any] = {}
    for node in graph.nodes:
        last = node.state.run.last_step if node.state.run else None
        if node.state.next_phase is None and last is not None and last.output is not None:
            found.setdefault(to_canonical_json(last.output), dict(last.output))
    return tuple(found.values())
