"""Search for runs that together cover a workflow, within a number of calls."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from aurora.interpreter.checks import find_dead_rules
from aurora.interpreter.expressions import WorkLimitError, WorkMeter, stop_metering

from .explore import Exploration, StateNode
from .probe import Prober

if TYPE_CHECKING:
    from collections.abc import Callable

    from .coverage import Coverage, CoverageItem
    from .explore import Explorer
    from .plan import SimulationPlan
    from .sources import ValueSource
    from .step import StepRunner

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
        known: dict[Any, StateNode] = {}
        tried: set[CoverageItem] = set()
        found: list[StateNode] = []
        probing = WorkMeter(MAX_PROBE_WORK)
        while not self.graphs or (found and not prober.is_exhausted):
            self.graphs.append(self.explorer.visit_phases(known, found, self._count_left()))
            with probing.activate():
                found = self._probe(prober, known, tried)
            self.graphs.append(Exploration(frozenset(), found, is_merged=True))

    def _probe(self, prober: Prober, known: dict[Any, StateNode], tried: set[CoverageItem]) -> list[StateNode]:
        """Probe once for each rule and limit that is missing; return the states that were found."""
        starts = {self.plan.find_deciding_phase(node.state): node for node in reversed(known.values())}
        with stop_metering():
            dead = find_dead_rules(self.plan.view)
        found: list[StateNode] = []
        for item in self.list_missing():
            kind, phase, index = item
            if item in tried or phase not in starts or kind == "phase" or (phase, index) in dead:
                continue
            if kind == "true" and sum(one[0] == "true" for one in tried) >= MAX_PROBED_RULES:
                continue
            tried.add(item)
            probe = prober.use_up_limit if kind == "else" else prober.reach_rule
            node = self._probe_item(probe, item, starts[phase])
            if node is not None:
                found.append(node)
        return found

    def _probe_item(
        self, probe: Callable[[CoverageItem, StateNode], StateNode | None], item: CoverageItem, start: StateNode
    ) -> StateNode | None:
        """Probe for one item; None if that takes too much work."""
        if item in self.coverage.counts:
            return None
        try:
            with WorkMeter(MAX_ITEM_WORK).activate():
                return probe(item, start)
        except WorkLimitError:
            self.is_limited = True
            return None
