"""Simulation of a workflow: covering paths, coverage, and what no run took."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from aurora.interpreter.checks import analyse_rules
from aurora.interpreter.expressions.meter import WorkLimitError, WorkMeter, stop_metering
from aurora.interpreter.run.frames import MAX_DEPTH
from aurora.interpreter.schema.json_values import to_canonical_json

from .coverage import Coverage, list_taken_items
from .explore import Explorer
from .generate import UnsatisfiableError
from .plan import SimulationPlan
from .player import StepRunner
from .search import MAX_WORK, CoverageSearch, Directions, map_predecessors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aurora.interpreter.checks import KnownWorkflows, PhaseOutcomes
    from aurora.interpreter.language.definition import Definition
    from aurora.interpreter.run.ports import Toolbox
    from aurora.interpreter.run.step import Step

    from .explore import Exploration
    from .player import RunState
    from .sources import OutputReading, ValueSource


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


@dataclass(frozen=True, slots=True)
class UnreachedItem:
    """A rule or phase that was never taken.

    Attributes:
        kind: `phase`, `rule` or `else`.
        phase: the phase.
        rule: its number, from 1; None for a phase.
        reason: the reason, in one sentence.
        bound: whether only a bound on calls or steps may be the cause.
        is_proved: whether no run can take it; else no simulated run did, which proves nothing.
    """

    kind: Literal["phase", "rule", "else"]
    phase: str
    rule: int | None
    reason: str
    bound: bool = False
    is_proved: bool = False


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
        # The workflows within get at most a quarter of the work, so that there is some left for the search.
        with WorkMeter(MAX_WORK // 4).activate():
            inner = _list_inner(plan)
        search = CoverageSearch(plan, walker, self._explorer, coverage, bounds.calls, self._meter)
        search.run()
        finder = PathFinder(plan, walker, self._explorer)
        # What the search has found is shown, also where it has used up all its work.
        self._meter.grant(MAX_WORK // 4)
        paths = finder.select_covering_paths(search.graphs, bounds.paths, bounds.calls // 4)
        is_complete = search.is_complete and not finder.is_cut
        if every:
            self._meter.grant(MAX_WORK)
            listing = PathFinder(plan, walker, self._explorer)
            listed = listing.list_paths(search.graphs[-1].focus, bounds.paths, bounds.calls * 4)
            is_complete = is_complete and not listing.is_cut
            known = {path.signature for path in listed}
            # The listing leaves out error routes and ends at a bound;
            # what the search covered is shown all the same.
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
        # A made-up result of a deeper workflow might lead to an output that no real run has.
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


def find_unreached(plan: SimulationPlan, search: CoverageSearch, coverage: Coverage) -> tuple[UnreachedItem, ...]:
    """Find everything that was never taken, in the order of the file."""
    names = plan.workflow.map_phase_names()
    called = _find_called_phases(search)
    unsatisfiable = {
        names.get(name, name): f"no value could be generated for it: {reason}"
        for graph in search.graphs
        for name, reason in graph.unsatisfiable.items()
    }
    with stop_metering():
        outcomes = analyse_rules(plan.view)
    is_cut = not search.is_complete
    found: list[UnreachedItem] = []
    for kind, phase, index in coverage.list_missing():
        if kind == "phase":
            is_cut_here = is_cut and phase not in unsatisfiable
            reason = "each run skipped it" if ("skipped", phase, 0) in coverage.counts else unsatisfiable.get(phase)
            reason = reason or ("its calls were refused" if phase in called else "no rule that leads to it was taken")
            found.append(UnreachedItem("phase", phase, None, reason, is_cut_here))
        elif not coverage.counts["phase", phase, 0]:
            continue
        elif kind == "true":
            # Only a proof makes the simulation fail: what a search did not find may still exist.
            proved = _prove_dead(outcomes.get(phase), index)
            reason = proved or f"no run took it in {search.walker.steps:,} calls, which does not prove that none can"
            found.append(UnreachedItem("rule", phase, index + 1, reason, is_cut and not proved, bool(proved)))
        elif kind == "else" and ("true", phase, index) in coverage.counts:  # else the rule itself is reported
            reason = f"its limit of {plan.workflow.phases[phase].next_action[index].max} was never reached"
            found.append(UnreachedItem("else", phase, index + 1, reason, is_cut))
    return tuple(found)


def _find_called_phases(search: CoverageSearch) -> set[str]:
    """Find the phases that a call was made for; one of them that no run reached refused it."""
    moments = (moment for graph in search.graphs for moment in graph.states)
    waiting = (moment for moment in moments if moment.next_phase is not None and not moment.is_refused)
    return {search.plan.find_deciding_phase(moment) for moment in waiting}


def _prove_dead(outcomes: PhaseOutcomes | None, index: int) -> str:
    """Say why a rule wins in no case at all; empty when that is not proved."""
    if outcomes is None or outcomes.outcomes[index].winning_case is not None:
        return ""
    if not outcomes.outcomes[index].sometimes_true:
        return "no value that its schemas allow makes it true"
    return "whenever it is true, a rule before it is true too"
