"""Simulation of a workflow: covering paths, coverage, and unreached rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from aurora.interpreter.analysis import prove_workflow
from aurora.interpreter.checks import is_failure_possible
from aurora.interpreter.expressions import WorkLimitError, WorkMeter, stop_metering

from .coverage import Coverage
from .exhaustive import has_every_value
from .explore import Explorer
from .inner import InnerWalker
from .paths import Path, PathFinder
from .plan import SimulationPlan
from .search import MAX_WORK, CoverageSearch
from .step import StepRunner
from .unreached import UnreachedItem, find_unreached

if TYPE_CHECKING:
    from aurora.interpreter.checks import KnownWorkflows
    from aurora.interpreter.language import Definition
    from aurora.interpreter.run import Toolbox

    from .sources import ValueSource


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
        paths: with `every` all paths, else few that together cover what can be covered.
        coverage: everything covered, including during the search for paths.
        unreached: rules and phases that were never taken, with the reason.
        is_complete: whether no bound left out anything; for all paths, whether it is proved that there are no others.
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
        every: return every path, not only a covering set.
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
            listing = PathListing(plan, walker, self._explorer, bounds)
            all_ = listing.list_paths(search.graphs[-1].focus)
            is_complete = is_complete and listing.is_proved_complete(all_)
            listed = {path.signature for path in all_}
            paths = [*all_, *(path for path in paths if path.signature not in listed)]
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


@dataclass(slots=True)
class PathListing:
    """The listing of every path of a workflow."""

    plan: SimulationPlan
    walker: StepRunner
    explorer: Explorer
    bounds: Bounds
    _is_cut: bool = False

    def list_paths(self, focus: frozenset[ValueSource]) -> list[Path]:
        """List the paths that differ in a rule; values vary as far as the rules of the focus read them."""
        finder = PathFinder(self.plan, self.walker, self.explorer)
        found: list[Path] = []
        try:
            found.extend(finder.enumerate_paths(focus, self.bounds.paths, self.bounds.calls * 4))
        except WorkLimitError:
            finder.is_cut = True
        self._is_cut = finder.is_cut or finder.is_sampled
        return found

    def is_proved_complete(self, paths: list[Path]) -> bool:
        """Return whether there are no other paths.

        Either the graph has no more, or every value that rules can tell apart was tried in every combination.
        """
        ended = sum(path.status == "ended" for path in paths)
        view = self.plan.view
        with stop_metering():
            every = prove_workflow(self.plan.definition, view.tools).paths
            if ended == len(paths) == every and not is_failure_possible(view):
                return True
        if self._is_cut or not self._has_every_value():
            return False
        sources = frozenset(one for phase in self.plan.workflow.phases for one in self.plan.sources_by_phase[phase])
        again = self.list_paths(sources)
        return not self._is_cut and {one.signature for one in again} <= {one.signature for one in paths}

    def _has_every_value(self) -> bool:
        try:
            return has_every_value(self.plan)
        except WorkLimitError:
            return False
