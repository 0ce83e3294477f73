"""Simulation of a workflow: covering paths, coverage, and unreached rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .coverage import Coverage
from .explore import Explorer
from .paths import Path, PathFinder
from .plan import SimulationPlan
from .step import StepRunner
from .unreached import UnreachedItem, find_unreached

if TYPE_CHECKING:
    from aurora.interpreter.language import Definition
    from aurora.interpreter.run import Toolbox

    from .explore import Exploration
    from .sources import ValueSource


@dataclass(frozen=True, slots=True)
class Bounds:
    """The bounds of a simulation.

    Attributes:
        paths: the most paths to return.
        steps: the most calls of one path.
        calls: the most calls of one search.
    """

    paths: int = 1_000
    steps: int = 500
    calls: int = 5_000


@dataclass(frozen=True, slots=True)
class Simulation:
    """The result of a simulation.

    Attributes:
        paths: with `every` all paths, else few that together cover what can be covered.
        coverage: everything covered, including during the search for paths.
        unreached: rules and phases that were never taken, with the reason.
        is_complete: whether no bound on calls or paths cut anything off.
    """

    paths: tuple[Path, ...]
    coverage: Coverage
    unreached: tuple[UnreachedItem, ...]
    is_complete: bool

    @property
    def is_successful(self) -> bool:
        """True when every phase and rule was taken and every path ended."""
        return not self.unreached and all(path.status == "ended" for path in self.paths)


def simulate_workflow(
    definition: Definition, tools: Toolbox | None, *, every: bool = False, bounds: Bounds | None = None
) -> Simulation:
    """Simulate a workflow with results, answers and inputs made from its schemas.

    Args:
        definition: the workflow, without errors.
        tools: their schemas replace a missing `output`; none of them runs.
        every: return every path, not only a covering set.
        bounds: the bounds on paths, steps and calls.
    """
    bounds = bounds or Bounds()
    plan, walker, coverage = SimulationPlan(definition, tools), StepRunner(definition), Coverage(definition.workflow)
    explorer = Explorer(plan, walker, coverage, bounds.steps)
    graphs = _explore_workflow(plan, explorer, coverage, bounds.calls)
    finder = PathFinder(plan, walker, explorer, bounds.steps)
    paths = finder.select_covering_paths(graphs, bounds.paths)
    whole = graphs[-1].is_complete
    if every:
        limit = bounds.calls * 4
        before = walker.steps
        all_ = list(finder.enumerate_paths(graphs[-1].focus, bounds.paths, limit))
        whole = whole and len(all_) < bounds.paths and walker.steps - before < limit
        known = {path.signature for path in all_}
        paths = [*all_, *(path for path in paths if path.signature not in known)]
    for path in paths:
        for step in path.steps:
            coverage.record_response(step.response)
    return Simulation(tuple(paths), coverage, find_unreached(plan, graphs, coverage), whole)


def _explore_workflow(
    plan: SimulationPlan, explorer: Explorer, coverage: Coverage, most_calls: int
) -> list[Exploration]:
    """Explore with ever more varied sources, until all is covered or nothing helps."""
    graphs = [explorer.explore(frozenset(), most_calls)]
    focus: frozenset[ValueSource] = frozenset()
    while True:
        missing = [one for one in coverage.list_missing() if one[0] != "error"]
        wider = focus.union(*(plan.sources_by_phase[phase] for _, phase, _ in missing))
        if not missing or wider == focus:
            break
        focus = wider
        graphs.append(explorer.explore(focus, most_calls))
    every = frozenset(one for phase in plan.workflow.phases for one in plan.sources_by_phase[phase])
    if any(kind != "false" for kind, _, _ in missing) and focus != every:
        graphs.append(explorer.explore(every, most_calls))
    return graphs
