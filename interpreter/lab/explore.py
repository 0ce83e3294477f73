"""Exploration of a workflow: each state that rules can tell apart is expanded once."""

from __future__ import annotations

import heapq
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from aurora.interpreter.expressions.meter import WorkLimitError, charge_work
from aurora.interpreter.schema.json_values import to_canonical_json

from .branches import StepPlanner
from .generate import UnsatisfiableError
from .player import RunState

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Sequence

    from aurora.interpreter.run.journal import Run

    from .branches import OptionList, StepOption
    from .coverage import Coverage
    from .plan import SimulationPlan
    from .player import StepRunner
    from .sources import ValueSource


@dataclass(slots=True)
class Exploration:
    """The states that one exploration found.

    Attributes:
        focus: the sources that were varied for later rules.
        states: all states, in the order of discovery.
        is_complete: whether every state was expanded; else the bound on calls or steps ended the exploration.
        unsatisfiable: by phase, the reason why no value could be generated for it.
    """

    focus: frozenset[ValueSource]
    states: list[RunState] = field(default_factory=list)
    is_complete: bool = True
    unsatisfiable: dict[str, str] = field(default_factory=dict)


StateIndex = dict[Any, RunState]
"""The states that were found, by a key."""


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
        self._options: dict[tuple[Any, frozenset[ValueSource]], OptionList] = {}

    def explore(self, focus: frozenset[ValueSource], most_calls: int) -> Exploration:
        """Expand every state, newly covered ones first, until all are done or calls run out."""
        return self._explore(Exploration(focus), {}, (), self.build_state_key, most_calls)

    def visit_phases(self, known: StateIndex, starts: Sequence[RunState], most_calls: int) -> Exploration:
        """Expand one state of each phase, which covers most of a workflow of any size.

        Args:
            known: the states that were expanded before, by key; new ones are added.
            starts: states to begin with besides the first.
            most_calls: the most calls.
        """
        return self._explore(Exploration(frozenset()), known, starts, _get_next_phase, most_calls)

    def _explore(
        self,
        found: Exploration,
        known: StateIndex,
        starts: Sequence[RunState],
        build_key: Callable[[RunState], Hashable],
        most_calls: int,
    ) -> Exploration:
        limit = self._walker.steps + most_calls
        try:
            self._expand_states(found, known, starts, build_key, limit)
        except WorkLimitError:
            found.is_complete = False
        return found

    def _expand_states(
        self,
        found: Exploration,
        known: StateIndex,
        starts: Sequence[RunState],
        build_key: Callable[[RunState], Hashable],
        limit: int,
    ) -> None:
        """Expand the first state, these, and those that they lead to, until so many calls were made."""
        waiting: list[tuple[int, int, int, RunState]] = []
        for moment in (self._walker.start(), *starts):
            key = build_key(moment)
            if key not in known and moment.next_phase is not None:
                known[key] = moment
                found.states.append(moment)
                heapq.heappush(waiting, (0, moment.depth, len(found.states), moment))
        while waiting:
            _, depth, _, moment = heapq.heappop(waiting)
            if depth >= self._most_steps:
                found.is_complete = False
                continue
            for option in self._iterate_options(moment, found):
                if self._walker.steps >= limit:
                    found.is_complete = False
                    return
                after = self._walker.take_step(moment, option.choice)
                is_new = self._coverage.record_steps(after.new_steps)
                is_final = after.is_refused or after.next_phase is None
                is_known = not is_final and (key := build_key(after)) in known
                if is_final or is_new or not is_known:
                    found.states.append(after)  # a known state is kept, too, for the rule that led to it
                if not is_final and not is_known:
                    known[key] = after
                    # What covers something new first: a search that ends early
                    # has then seen most. The number decides between equals.
                    heapq.heappush(waiting, (0 if is_new else 1, depth + 1, len(found.states), after))

    def can_continue(self, moment: RunState) -> bool:
        """Return whether a run can take a step more: it has a next phase, and fewer than the most steps."""
        return moment.next_phase is not None and not moment.is_refused and moment.depth < self._most_steps

    def _iterate_options(self, moment: RunState, found: Exploration) -> Iterator[StepOption]:
        try:
            listed = self.list_options(moment, found.focus)
            found.is_complete &= not listed.is_limited
            yield from listed.options
        except UnsatisfiableError as reason:
            found.unsatisfiable.setdefault(str(moment.next_phase), str(reason))

    def list_options(self, moment: RunState, focus: frozenset[ValueSource]) -> OptionList:
        """List the options of a state; cached for states that no rule can tell apart.

        Raises:
            UnsatisfiableError: no value can be generated for its next phase.
        """
        key = (self._build_option_key(moment), focus)
        if key not in self._options:
            self._options[key] = StepPlanner(self._plan, moment).list_options(focus)
        return self._options[key]

    def _build_option_key(self, moment: RunState) -> Hashable:
        """Build the key of a state from all that decides on the next step."""
        run, coming = moment.run, moment.next_phase
        if run is None or coming is None or run.last_step is None:
            return (coming, None)
        plan = self._plan
        target = plan.find_deciding_phase(moment)
        phases = run.collect_history().phases
        values = [one.read_value(phases) for one in plan.sorted_sources[target]]
        facts = [one.read_value(phases) for one in plan.facts_by_phase[target]]
        text = to_canonical_json([values, facts])
        charge_work(len(values) + len(facts) + len(text) // 10)
        return (*self._build_position_key(moment, run), text)

    def build_state_key(self, moment: RunState) -> Hashable:
        """Build the key of a state from all that decides how the run can go on."""
        run, coming = moment.run, moment.next_phase
        if run is None or coming is None or run.last_step is None:
            return (coming, None)
        plan = self._plan
        target = plan.find_deciding_phase(moment)
        phases = run.collect_history().phases
        values = {}
        for name, sources in plan.group_live_sources(target):
            known = [one.read_value(phases) for one in sources] if name in phases else []
            if any(value is not None for value in known):
                values[name] = known
        facts = [one.read_value(phases) for one in plan.find_live_facts(target)]
        # Two runs at the same place are not alike where only one of
        # them can end, as the other lacks a value of the output.
        lacking = [one.read_value(phases) is None for one in plan.output_sources]
        counts = _count_edges(run, plan.bounded_phases & plan.find_reachable(target))
        text = to_canonical_json([values, facts, lacking])
        # To write a large value into a key takes time, which has to count as work like an evaluation.
        charge_work(sum(map(len, values.values())) + len(facts) + len(run.steps) + len(text) // 10)
        return (*self._build_position_key(moment, run), text, counts)

    def _build_position_key(self, moment: RunState, run: Run) -> tuple[Hashable, ...]:
        """Build the key of the next call: its phase, the answer that is due, and what it needs."""
        last = run.last_step
        owed = (last.phase, last.asks, last.index, last.branches) if last is not None and last.awaits_answer else None
        length = len(run.steps) if self._plan.is_step_dependent else 0
        return (str(moment.next_phase), owed, frozenset(moment.needs), length)


def _count_edges(run: Run, phases: frozenset[str]) -> frozenset[tuple[tuple[str, int | None], int]]:
    """Count how often a run took each rule of these phases before its limit was used up."""
    edges = ((step.phase, step.edge.rule) for step in run.steps if step.edge and not step.edge.spent)
    return frozenset(Counter(edge for edge in edges if edge[0] in phases).items())


def _get_next_phase(moment: RunState) -> Hashable:
    last = moment.run.last_step if moment.run else None
    return (moment.next_phase, last.phase if last is not None and last.holds else "")
