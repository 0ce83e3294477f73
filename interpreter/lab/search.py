"""Search for runs that together cover a workflow, and the direction to what is missing."""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from aurora.interpreter.checks import find_dead_rules
from aurora.interpreter.expressions.meter import WorkLimitError, WorkMeter, stop_metering
from aurora.interpreter.language.definition import measure_distances
from aurora.interpreter.run.rules import decides_by_answer

from .branches import StepPlanner
from .explore import Exploration
from .generate import UnsatisfiableError
from .player import find_deciding_phase

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from aurora.interpreter.language.model import Workflow

    from .branches import StepOption
    from .coverage import Coverage, CoverageItem
    from .explore import Explorer
    from .plan import SimulationPlan
    from .player import RunState, StepRunner
    from .sources import ValueSource

    Predecessors = Mapping[str | None, Sequence[str]]

MAX_WORK = 25_000_000
"""The most work of a search, in steps of an evaluation: some 4 s, besides its calls."""


MAX_PROBED_RULES = 100
"""The most rules for which values are searched one by one."""


MAX_PROBE_WORK = MAX_WORK // 2
"""The most work of all probes, in steps of an evaluation."""


MAX_ITEM_WORK = MAX_WORK // 10
"""The most work of the probe for one rule or limit."""


LARGE_WORKFLOW = 300
"""With more phases than this, a workflow that is covered is not explored any further."""


@dataclass(slots=True)
class CoverageSearch:
    """The search of one simulation.

    Attributes:
        plan: the workflow.
        walker: the runner of steps.
        explorer: expands states.
        coverage: what was covered.
        most_calls: the most calls.
        meter: counts the work of the search.
        graphs: what was explored, in order.
        is_complete: whether the last exploration was not cut by a bound.
        is_limited: whether some probe took too much work.
    """

    plan: SimulationPlan
    walker: StepRunner
    explorer: Explorer
    coverage: Coverage
    most_calls: int
    meter: WorkMeter
    graphs: list[Exploration] = field(default_factory=list)
    is_complete: bool = False
    is_limited: bool = False

    def run(self) -> None:
        """Visit phases, use up limits, then vary ever more values, until nothing helps."""
        # Each stage is dearer than the one before. One state of each phase covers most of any workflow; values that
        # later rules read multiply the states, and so are varied only as far as something is still missing.
        self._visit_and_probe()
        if not self.list_missing() and len(self.plan.workflow.phases) > LARGE_WORKFLOW:
            self.is_complete = True
            return
        focus: frozenset[ValueSource] = frozenset()
        self._explore(focus)
        while missing := self.list_missing("false", "declined", "empty", "skipped"):
            wider = focus.union(*(self.plan.sources_by_phase[phase] for _, phase, _ in missing))
            if wider == focus or self._count_left() <= 0:
                break
            focus = wider
            self._explore(focus)
        every = frozenset(one for phase in self.plan.workflow.phases for one in self.plan.sources_by_phase[phase])
        if self.list_missing() and focus != every and self._count_left() > 0:
            self._explore(every)
        self.is_complete = (self.graphs[-1].is_complete and not self.is_limited) or not self.list_missing()

    def list_missing(self, *more: str) -> list[CoverageItem]:
        """List the phases, rules and limits that were not taken, and what else is wanted."""
        return [one for one in self.coverage.list_missing() if one[0] in ("phase", "true", "else", *more)]

    def _count_left(self) -> int:
        return 0 if self.meter.is_used_up else self.most_calls - self.walker.steps

    def _explore(self, focus: frozenset[ValueSource]) -> None:
        self.graphs.append(self.explorer.explore(focus, max(self._count_left(), 0)))

    def _visit_and_probe(self) -> None:
        """Visit each phase once; probe for what is missing, and visit the phases that this reveals."""
        prober = Prober(self.plan, self.walker, self.explorer, self.coverage, self.most_calls)
        known: dict[Any, RunState] = {}
        tried: set[CoverageItem] = set()
        found: list[RunState] = []
        probing = WorkMeter(MAX_PROBE_WORK)
        while not self.graphs or (found and not prober.is_exhausted):
            self.graphs.append(self.explorer.visit_phases(known, found, self._count_left()))
            with probing.activate():
                found = self._probe(prober, known, tried)
            self.graphs.append(Exploration(frozenset(), found))

    def _probe(self, prober: Prober, known: dict[Any, RunState], tried: set[CoverageItem]) -> list[RunState]:
        """Probe once for each rule and limit that is missing; return the states that were found."""
        # Backwards, so that of the states of a phase the one that was found first is kept.
        starts = {self.plan.find_deciding_phase(moment): moment for moment in reversed(known.values())}
        with stop_metering():
            # What it finds is kept with the view, and its work has a
            # limit of its own: a meter must not end it half-way.
            dead = find_dead_rules(self.plan.view)
        found: list[RunState] = []
        for item in self.list_missing():
            kind, phase, index = item
            if item in tried or phase not in starts or kind == "phase" or (phase, index) in dead:
                continue
            if kind == "true" and sum(one[0] == "true" for one in tried) >= MAX_PROBED_RULES:
                continue
            tried.add(item)
            probe = prober.use_up_limit if kind == "else" else prober.reach_rule
            after = self._probe_item(probe, item, starts[phase])
            if after is not None:
                found.append(after)
        return found

    def _probe_item(
        self, probe: Callable[[CoverageItem, RunState], RunState | None], item: CoverageItem, start: RunState
    ) -> RunState | None:
        """Probe for one item; None if that takes too much work."""
        if item in self.coverage.counts:
            return None
        try:
            with WorkMeter(MAX_ITEM_WORK).activate():
                return probe(item, start)
        except WorkLimitError:
            self.is_limited = True
            return None


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

    def use_up_limit(self, item: CoverageItem, start: RunState) -> RunState | None:
        """Take a rule until its limit is used up, from a state whose next phase has it; None if that fails."""
        _, phase, index = item
        moment = start
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
                return moment
        return None

    def reach_rule(self, item: CoverageItem, start: RunState) -> RunState | None:
        """Search for values for which a rule wins, then for a run that brings them; None if either fails."""
        _, phase, index = item
        try:
            values = StepPlanner(self._plan, start).find_winning_values(index)
        except UnsatisfiableError:
            return None
        return None if values is None else self._bring_values(item, values, self._find_directions(phase))

    def _bring_values(
        self, item: CoverageItem, values: Mapping[ValueSource, Any], directions: Directions
    ) -> RunState | None:
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
                    return after
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


_FAR = float("inf")


class Directions:
    """The way to one phase of a workflow, or to an end, by its rules.

    Args:
        workflow: the workflow.
        back: by phase, and None for an end, the phases with a rule that leads there.
        target: the phase to reach; None for an end.
    """

    def __init__(self, workflow: Workflow, back: Predecessors, target: str | None) -> None:
        self._workflow = workflow
        self._names = workflow.map_phase_names()
        self._distances = measure_distances(target, back)

    def measure_distance(self, moment: RunState) -> float:
        """Count the rules from the next phase of a run to the target."""
        last = moment.run.last_step if moment.run else None
        if moment.next_phase is None or (last is not None and last.holds and last.edge is not None):
            return self._distances.get(None, _FAR)
        return self._distances.get(find_deciding_phase(self._workflow, moment), _FAR)

    def select_option(self, moment: RunState, options: Iterable[StepOption]) -> StepOption | None:
        """Select the option that leads nearest to the target; None when none leads there."""
        near = [(self._predict_distance(moment, one), number, one) for number, one in enumerate(options)]
        distance, _, option = min(near, default=(_FAR, 0, None))
        return None if distance == _FAR else option

    def _predict_distance(self, moment: RunState, option: StepOption) -> float:
        """Predict the distance after this option, from the rule that it makes win."""
        if moment.next_phase is None:
            return _FAR
        phase = find_deciding_phase(self._workflow, moment)
        last = moment.run.last_step if moment.run else None
        is_answering = last is not None and last.holds
        if is_answering and last is not None and last.edge is not None:
            return self._distances.get(None, _FAR)
        if not is_answering and decides_by_answer(self._workflow.phases[phase]):
            return self._distances.get(phase, _FAR) if option.choice.fault is None else _FAR
        if option.rule is None:
            return _FAR
        rule = self._workflow.phases[phase].next_action[option.rule]
        taken = moment.run.count_taken(phase, option.rule) if moment.run and rule.max is not None else 0
        is_spent = rule.max is not None and taken >= rule.max
        return self._distances.get(self._names.get((rule.else_ or "") if is_spent else rule.then), _FAR)


def map_predecessors(workflow: Workflow) -> Predecessors:
    """Map each phase, and None for an end, to the phases with a rule that leads there."""
    names = workflow.map_phase_names()
    back: dict[str | None, list[str]] = {}
    for name, phase in workflow.phases.items():
        for rule in phase.next_action:
            back.setdefault(names.get(rule.then), []).append(name)
            if rule.max is not None:
                back.setdefault(names.get(rule.else_ or ""), []).append(name)
    return back
