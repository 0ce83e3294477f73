"""Simulation of a workflow: covering paths, coverage, and unreached rules."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from aurora.interpreter.expressions.meter import WorkLimitError, WorkMeter
from aurora.interpreter.run.frames import MAX_DEPTH
from aurora.interpreter.schema.json_values import to_canonical_json

from .coverage import Coverage
from .explore import Explorer
from .paths import Path, PathFinder
from .plan import SimulationPlan
from .search import MAX_WORK, CoverageSearch
from .step import StepRunner
from .unreached import UnreachedItem, find_unreached

if TYPE_CHECKING:
    from aurora.interpreter.checks import KnownWorkflows
    from aurora.interpreter.language.definition import Definition
    from aurora.interpreter.run.ports import Toolbox

    from .explore import Exploration
    from .sources import OutputReading


@dataclass(frozen=True, slots=True)
class Bounds:
    """The bounds of a simulation.

    Attributes:
        paths: the most paths to return.
        steps: the most calls of one path; None for 500, or twice the number of phases if that is more.
        calls: the most calls of the search; a quarter as many again bring the paths to their ends.
    """

    paths: int = 1_000
    steps: int | None = None
    calls: int = 5_000

    def count_steps(self, definition: Definition) -> int:
        """Return the most calls of one path of this workflow."""
        return self.steps or max(DEFAULT_STEPS, 2 * len(definition.workflow.phases))


DEFAULT_STEPS = 500
"""The most calls of one path of a small workflow."""


@dataclass(frozen=True, slots=True)
class InnerWorkflow:
    """A workflow that runs as a phase; its own steps are not part of the paths.

    Attributes:
        phase: the phase.
        workflow: its name.
        outputs: the number of different outputs that simulated runs of it ended with.
    """

    phase: str
    workflow: str
    outputs: int

    @property
    def is_walked(self) -> bool:
        """False when no simulated run of it ended, so that its output is made from its schema."""
        return self.outputs > 0


@dataclass(frozen=True, slots=True)
class Simulation:
    """The result of a simulation.

    Attributes:
        paths: with `every` each path that was tried, else few that together cover what can be covered.
        coverage: everything covered, including during the search for paths.
        unreached: rules and phases that were never taken, with the reason.
        is_complete: whether no bound left out anything; values that were not tried may still lead elsewhere.
        calls: the number of simulated calls.
        inner: the workflows that run as phases.
    """

    paths: tuple[Path, ...]
    coverage: Coverage
    unreached: tuple[UnreachedItem, ...]
    is_complete: bool
    calls: int = 0
    inner: tuple[InnerWorkflow, ...] = ()

    @property
    def is_successful(self) -> bool:
        """True when every phase and rule was taken and every path ended."""
        return not self.unreached and all(path.status == "ended" for path in self.paths)

    @property
    def has_failure(self) -> bool:
        """True when a path is stuck, or when it is proved that no run can take some part."""
        return any(path.status == "stuck" for path in self.paths) or any(one.is_proved for one in self.unreached)


def simulate_workflow(
    definition: Definition,
    tools: Toolbox | None,
    known: KnownWorkflows | None = None,
    *,
    every: bool = False,
    bounds: Bounds | None = None,
) -> Simulation:
    """Simulate a workflow with results, answers and inputs made from its schemas.

    Args:
        definition: the workflow, without errors.
        tools: their schemas replace a missing `output`; none of them runs.
        known: the workflows that its phases run; None leaves their outputs open.
        every: return every path that is tried, not only a covering set.
        bounds: the bounds on paths, steps and calls.
    """
    meter = WorkMeter(MAX_WORK)
    with meter.activate():
        return _Simulator(definition, tools, known, bounds or Bounds(), meter).run(every=every)


class _Simulator:
    """The simulation of one workflow, whose work the meter limits."""

    def __init__(
        self,
        definition: Definition,
        tools: Toolbox | None,
        known: KnownWorkflows | None,
        bounds: Bounds,
        meter: WorkMeter,
    ) -> None:
        self._bounds = bounds
        self._meter = meter
        self._plan = SimulationPlan(definition, tools, known, InnerWalker(tools, known))
        self._walker, self._coverage = StepRunner(definition), Coverage(definition.workflow)
        self._explorer = Explorer(self._plan, self._walker, self._coverage, bounds.count_steps(definition))

    def run(self, *, every: bool) -> Simulation:
        """Search, and bring what was found to paths."""
        plan, walker, coverage, bounds = self._plan, self._walker, self._coverage, self._bounds
        with WorkMeter(MAX_WORK // 4).activate():
            inner = _list_inner(plan)
        search = CoverageSearch(plan, walker, self._explorer, coverage, bounds.calls, self._meter)
        search.run()
        finder = PathFinder(plan, walker, self._explorer)
        self._meter.grant(MAX_WORK // 4)
        paths = finder.select_covering_paths(search.graphs, bounds.paths, bounds.calls // 4)
        is_complete = search.is_complete and not finder.is_cut
        if every:
            self._meter.grant(MAX_WORK)
            listing = PathFinder(plan, walker, self._explorer)
            listed = listing.list_paths(search.graphs[-1].focus, bounds.paths, bounds.calls * 4)
            is_complete = is_complete and not listing.is_cut
            known = {path.signature for path in listed}
            paths = [*listed, *(path for path in paths if path.signature not in known)]
        for path in paths:
            coverage.record_steps(path.steps)
        self._meter.grant(MAX_WORK // 10)
        unreached = find_unreached(plan, search, coverage)
        return Simulation(tuple(paths), coverage, unreached, is_complete, walker.steps, inner)


def _list_inner(plan: SimulationPlan) -> tuple[InnerWorkflow, ...]:
    return tuple(
        InnerWorkflow(name, phase.workflow, len(plan.find_outputs(name)))
        for name, phase in plan.workflow.phases.items()
        if phase.workflow is not None
    )


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
    for moment in graph.states:
        last = moment.run.last_step if moment.run else None
        if moment.next_phase is None and last is not None and last.output is not None:
            found.setdefault(to_canonical_json(last.output), dict(last.output))
    return tuple(found.values())
