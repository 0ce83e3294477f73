"""Branches of a run: the values that make each rule of the next phase win."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain, islice, product
from math import prod
from random import Random
from typing import TYPE_CHECKING, Any

from aurora.errors import Fault
from aurora.interpreter.expressions.error import ExpressionError
from aurora.interpreter.expressions.explain import collect_lookups
from aurora.interpreter.expressions.jmespath import evaluate_expression
from aurora.interpreter.expressions.meter import WorkLimitError, WorkMeter, charge_work
from aurora.interpreter.run.execute import evaluate_items, spread_outputs
from aurora.interpreter.run.inputs import InputFaults, resolve_inputs
from aurora.interpreter.run.journal import Run
from aurora.interpreter.run.rules import build_decision_scope, build_recall_scope
from aurora.interpreter.schema.json_values import to_canonical_json

from .generate import UnsatisfiableError, fit_alternative
from .player import SIMULATED_FAILURE, StepChoice
from .sources import ValueSource
from .values import ABSENT, measure_rule_distance, set_value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from .plan import SimulationPlan
    from .player import RunState

    Assignment = Mapping[ValueSource, Any]

MAX_COMBINATIONS = 400
"""The most combinations that are tried at one state; beyond it the search is directed."""


MAX_OPTIONS = 64
"""The most options that differ only in values that later phases read."""


SEARCH_STARTS = 4
"""The number of descents: from no values, then from random ones."""


SEARCH_SWEEPS = 6
"""The most sweeps of one descent over all sources."""


MAX_STATE_WORK = 2_000_000
"""The most work of the search for values at one state, in steps of an evaluation: some 0.3 s."""


CHOICE_WORK = 100
"""Work of a choice without its values, in steps of an evaluation."""


@dataclass(frozen=True, slots=True)
class StepOption:
    """One way to take the next step.

    Attributes:
        choice: the values of host and tool.
        rule: the index of the rule that wins, from 0; None when none is true, or the tool fails.
        marks: the values that later rules read, as text.
    """

    choice: StepChoice
    rule: int | None
    marks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OptionList:
    """The options for the next step.

    Attributes:
        options: the options.
        is_limited: whether the limit of work left out some.
    """

    options: tuple[StepOption, ...]
    is_limited: bool = False


class StepPlanner:
    """The options for the next step of a run.

    Args:
        plan: the workflow.
        state: the state of the run, which has a next phase.
    """

    def __init__(self, plan: SimulationPlan, moment: RunState) -> None:
        self._plan = plan
        self._state = moment
        self._run = moment.run or _build_empty_run(plan)
        self.phase = plan.find_deciding_phase(moment)
        self._spec = plan.workflow.phases[self.phase]
        self._rules = self._spec.next_action
        before = self._run.last_step
        self._is_answering = before is not None and before.holds
        self._prompting_step = before if before is not None and before.awaits_answer else None
        self._is_limited = False
        self._recalled: dict[str, dict[str, Any]] = {}

    def list_free_sources(self, looked_at: frozenset[ValueSource]) -> list[ValueSource]:
        """List those of the sources that this step can set."""
        return sorted(one for one in looked_at if self._is_free(one) and self._plan.list_values(one))

    def _makes_result(self) -> bool:
        """Return True if this step runs a tool or a workflow, and does not only bring an answer."""
        return self._spec.has_result and not self._is_answering

    def _is_free(self, source: ValueSource) -> bool:
        if source.kind == "answer":
            return self._prompting_step is not None and source.phase == self._prompting_step.phase
        if source.kind == "result" and not self._makes_result():
            return False
        if source.kind == "inputs" and source.path[0] not in self._state.needs and self._runs_within_call():
            return False
        return source.phase == self.phase and not self._is_answering

    def _runs_within_call(self) -> bool:
        """Return True if the call of an earlier phase runs this one, too, so that its host brings nothing."""
        is_passed = False
        for step in reversed(self._run.steps):
            if step.awaits_answer or step.kind == "answer":
                break
            if step.status == "skipped":
                continue
            if not self._plan.workflow.phases[step.phase].only_decides:
                return self._plan.workflow.pace == "prompt" or self._spec.only_decides
            is_passed = True
        return is_passed

    def list_options(self, focus: frozenset[ValueSource], fixed: Assignment | None = None) -> OptionList:
        """List an option for each rule that can win, and for each value later rules read.

        Args:
            focus: the sources to vary for later rules.
            fixed: the values of sources that do not vary.

        Raises:
            UnsatisfiableError: no generated value fits some schema.
        """
        base = {one: value for one, value in (fixed or {}).items() if self._is_free(one)}
        own = [one for one in self.list_free_sources(self._plan.sources_by_phase[self.phase]) if one not in base]
        later = [one for one in self.list_free_sources(focus) if one not in own and one not in base]
        found = self._select_assignments(own, [one for one in own if one in focus], base)
        ways = [
            StepOption(self.build_choice({**assigned, **more}), rule, (*map(str, key[1:]), *_format_marks(more)))
            for key, (assigned, rule) in found.items()
            for more in self._combine_values(later, max(MAX_OPTIONS // max(len(found), 1), 1))
        ]
        fails = (
            self._spec.has_result
            and not self._is_answering
            and self._plan.workflow.find_error_target(self.phase) is not None
        )
        ways += [StepOption(self._build_failure(), None, ("fails",))] if fails else []
        if self._state.is_waiting:
            ways.append(StepOption(StepChoice(declines=True), None, ("declines",)))
        return OptionList(tuple(ways), self._is_limited)

    def _select_assignments(
        self, own: list[ValueSource], kept: list[ValueSource], base: Assignment
    ) -> dict[tuple[Any, ...], tuple[dict[ValueSource, Any], int | None]]:
        """Select an assignment per rule and kept values; each rule that can win has one."""
        found: dict[tuple[Any, ...], tuple[dict[ValueSource, Any], int | None]] = {}
        try:
            with WorkMeter(MAX_STATE_WORK).activate():
                self._collect_assignments(own, kept, base, found)
        except WorkLimitError:
            self._is_limited = True
        return found or {(None,): (dict(base), None)}

    def _collect_assignments(
        self,
        own: list[ValueSource],
        kept: list[ValueSource],
        base: Assignment,
        found: dict[tuple[Any, ...], tuple[dict[ValueSource, Any], int | None]],
    ) -> None:
        """Add assignments to those that were found.

        Raises:
            WorkLimitError: the state takes too much work.
        """
        rules: set[int | None] = set()
        for assigned, rule in self._try_assignments(own, base):
            key = (rule, *(to_canonical_json(_to_json_value(assigned.get(one))) for one in kept))
            if key in found:
                continue
            # A rule that was not reached yet is kept beyond the limit: it is what the search is for.
            if len(found) < MAX_OPTIONS or rule not in rules:
                found[key] = (assigned, rule)
                rules.add(rule)

    def _build_failure(self) -> StepChoice:
        plain = self.build_choice({})
        return StepChoice(plain.answer, plain.inputs, None, SIMULATED_FAILURE)

    def build_choice(self, assigned: Assignment) -> StepChoice:
        """Build a choice from the assigned values; everything else gets its least value."""
        plan = self._plan
        charge_work(CHOICE_WORK + 5 * len(assigned))
        answer: tuple[Any, ...] = ()
        if self._prompting_step is not None:
            answer = (self._build_answer(assigned),)
        inputs = {
            name: plan.find_least_value(ValueSource(self.phase, "inputs", (name,)))
            for name in self._state.needs
            if name != "answer"
        }
        result = (
            plan.find_least_value(ValueSource(self.phase, "result", ()))
            if self._spec.has_result and not self._is_answering
            else None
        )
        for source, value in assigned.items():
            if source.kind == "result":
                result = _set_counted(result, source.path, value)
            elif source.kind == "inputs" and (len(source.path) > 1 or value is not ABSENT):
                name, *rest = source.path
                current = inputs.get(
                    name, plan.find_least_value(ValueSource(self.phase, "inputs", (name,))) if rest else None
                )
                inputs[name] = set_value(current, rest, value)
        return StepChoice(answer, inputs, result)

    def _build_answer(self, assigned: Assignment) -> Any:
        """Build the pending answer; of several answers the first has the assigned values."""
        owed = self._prompting_step
        if owed is None:
            return None
        plain = self._plan.find_least_value(ValueSource(owed.phase, "answer", ()))
        answer = plain
        for source, value in assigned.items():
            if source.kind == "answer":
                answer = _set_counted(answer, source.path, value)
        given = [(source.path, value) for source, value in assigned.items() if source.kind == "answer"]
        if given and not any(value is ABSENT for _, value in given):
            answer = fit_alternative(self._plan.find_schema(ValueSource(owed.phase, "answer", ())), answer, given)
        return [answer, *[plain] * (owed.asks - 1)] if owed.asks else answer

    def build_scope(self, choice: StepChoice) -> Mapping[str, Any] | None:
        """Build the scope of the rules after this choice; None when the call is refused."""
        return self._resolve_scope(choice, self._recall(choice.answer))

    def _recall(self, answer: tuple[Any, ...]) -> dict[str, Any]:
        """Build the scope of `from` after this answer; cached, because many choices share an answer."""
        key = to_canonical_json(answer)
        charge_work(len(key) // 10)
        if key not in self._recalled:
            charge_work(len(self._run.steps))
            self._recalled[key] = build_recall_scope(self._run, self._plan.definition, answer)
        return dict(self._recalled[key])

    def _resolve_scope(self, choice: StepChoice, recalled: Mapping[str, Any]) -> Mapping[str, Any] | None:
        last = self._run.last_step
        if last is not None and last.holds:
            own = recalled["phases"][self.phase]
            answered = {name: own[name] for name in ("answer", "answers")}
            return build_decision_scope(own["inputs"], own["result"], recalled, answered)
        refusal = InputFaults()
        inputs = resolve_inputs(choice.inputs, self._plan.definition, self.phase, recalled, refusal).values
        if refusal.faults:
            return None
        return build_decision_scope(inputs, self._spread_result(choice.result, inputs, recalled), recalled)

    def _spread_result(self, result: Any, inputs: Mapping[str, Any], recalled: Mapping[str, Any]) -> Any:
        """Spread the outputs of a workflow over the items that it runs for, as the engine does."""
        if self._spec.workflow is None or self._spec.for_each is None or not isinstance(result, dict):
            return result
        try:
            items = evaluate_items(self._spec, self.phase, build_decision_scope(inputs, None, recalled))
        except Fault:
            return result  # the step shows the failure
        return spread_outputs(result, len(items))

    def find_first_rule(self, seen: Mapping[str, Any]) -> int | None:
        """Find the first rule that is true; None if there is none, or one before it fails."""
        for index, rule in enumerate(self._rules):
            try:
                value = rule.when is None or evaluate_expression(rule.when, seen)
            except ExpressionError:
                return None
            if value is True:
                return index
            # Neither true nor false: the run fails at this rule, and none behind it is evaluated.
            if value is not False:
                return None
        return None

    def _try_assignments(
        self, own: list[ValueSource], base: Assignment
    ) -> Iterator[tuple[dict[ValueSource, Any], int | None]]:
        """Yield assignments with the rule that each leads to.

        It tries all combinations; where these are too many, it searches for each rule.
        """
        refused = 0
        reached: set[int | None] = set()
        for case in self._combine_values(own, MAX_COMBINATIONS):
            assigned = {**base, **case}
            seen = self.build_scope(self.build_choice(assigned))
            refused += seen is None
            if seen is not None:
                rule = self.find_first_rule(seen)
                reached.add(rule)
                yield assigned, rule
        if not reached:
            yield dict(base), None  # every call is refused; the step shows the refusal
        # With few combinations, all were tried above, and a search finds nothing more.
        if prod(len(self._plan.list_values(one)) for one in own) > MAX_COMBINATIONS:
            for index in range(len(self._rules)):
                found = None if index in reached else self._search_values(own, index, base)
                if found is not None:
                    reached.add(index)
                    yield found, index
        if not reached.issuperset(range(len(self._rules))):
            yield from self._try_witnesses(self._list_leaves(own), base, reached)

    def _try_witnesses(
        self, leaves: list[ValueSource], base: Assignment, reached: set[int | None]
    ) -> Iterator[tuple[dict[ValueSource, Any], int | None]]:
        """Yield assignments, of fields and of copied values, for rules that were not reached."""
        cases = chain(self._copy_values(leaves, base), self._combine_leaves(leaves))
        for case in islice(cases, MAX_COMBINATIONS):
            assigned = {**base, **case}
            seen = self.build_scope(self.build_choice(assigned))
            rule = self.find_first_rule(seen) if seen is not None else None
            if rule is not None and rule not in reached:
                reached.add(rule)
                yield assigned, rule

    def _list_leaves(self, own: list[ValueSource]) -> list[ValueSource]:
        """List the fields of objects in place of the objects."""
        leaves: list[ValueSource] = []
        for one in own:
            is_walk = one.kind == "result" and self._spec.workflow is not None  # its runs say what it can give
            fields = {} if is_walk else self._plan.find_schema(one).get("properties", {})
            inner = [ValueSource(one.phase, one.kind, (*one.path, name)) for name in fields]
            leaves += [leaf for leaf in inner if self._plan.list_values(leaf)] or [one]
        return leaves

    def _copy_values(self, leaves: list[ValueSource], base: Assignment) -> Iterator[dict[ValueSource, Any]]:
        """Yield each value that the rules read for each source: two may have to be equal."""
        seen = self.build_scope(self.build_choice(base)) or {}
        read = [collect_lookups(rule.when, seen) for rule in self._rules if rule.when is not None]
        values = [value for found in read for value in found.values() if isinstance(value, str | int | float)]
        yield from ({leaf: value} for leaf in leaves for value in values)

    def _combine_leaves(self, leaves: list[ValueSource]) -> Iterator[dict[ValueSource, Any]]:
        """Yield all combinations; of too many those in which each has its first, second… value."""
        values = [self._plan.list_values(one) for one in leaves]
        if prod(map(len, values)) <= MAX_COMBINATIONS:
            yield from (dict(zip(leaves, case, strict=True)) for case in product(*values))
            return
        for at in range(max(map(len, values))):
            yield {one: each[min(at, len(each) - 1)] for one, each in zip(leaves, values, strict=True)}

    def _combine_values(self, free: list[ValueSource], most: int) -> Iterator[dict[ValueSource, Any]]:
        """Yield no value, each value alone, then combinations: all, or a random sample."""
        yield {}
        if not free:
            return
        values = [self._plan.list_values(one) for one in free]
        if prod(len(one) for one in values) <= most:
            yield from (dict(zip(free, case, strict=True)) for case in islice(product(*values), most))
            return
        yield from islice(({one: value} for one, each in zip(free, values, strict=True) for value in each), most)
        draw = _create_random(0)
        for _ in range(most // 4):
            yield {one: draw.choice(each) for one, each in zip(free, values, strict=True)}

    def find_winning_values(self, index: int) -> dict[ValueSource, Any] | None:
        """Find values for which a rule would win, also such as earlier steps would have brought."""
        own = [one for one in sorted(self._plan.sources_by_phase[self.phase]) if self._plan.list_values(one)]
        return self._search_values(own, index)

    def _search_values(
        self, own: list[ValueSource], index: int, base: Assignment | None = None
    ) -> dict[ValueSource, Any] | None:
        """Search values for which a rule wins, by descent along the distance."""
        random = _create_random(index)
        own = [one for one in own if self._plan.list_values(one)]
        for start in range(SEARCH_STARTS):
            first = {source: random.choice(self._plan.list_values(source)) for source in own} if start else {}
            best, distance = self._descend({**first, **(base or {})}, own, index)
            if distance == 0:
                return best
        return None

    def _descend(
        self, first: dict[ValueSource, Any], own: list[ValueSource], index: int
    ) -> tuple[dict[ValueSource, Any], float]:
        """Improve the values in sweeps until a rule wins or a sweep finds nothing nearer."""
        best, distance = first, self._measure_distance(first, index)
        for _ in range(SEARCH_SWEEPS):
            if distance == 0:
                break
            before = distance
            for source in own:
                for value in self._plan.list_values(source):
                    tried = {**best, source: value}
                    tried_distance = self._measure_distance(tried, index)
                    if tried_distance < distance:
                        best, distance = tried, tried_distance
            if distance == before:
                break
        return best, distance

    def _measure_distance(self, assigned: Assignment, index: int) -> float:
        try:
            seen = self._imagine_scope(assigned)
        except UnsatisfiableError:
            seen = None
        return float("inf") if seen is None else measure_rule_distance(self._rules, index, seen)

    def _imagine_scope(self, assigned: Assignment) -> Mapping[str, Any] | None:
        """Build the scope of the rules as if earlier steps had brought these values; None for a refused call."""
        earlier = {one: value for one, value in assigned.items() if not self._is_free(one)}
        choice = self.build_choice({one: value for one, value in assigned.items() if one not in earlier})
        recalled = self._recall(choice.answer)
        for source, value in earlier.items():
            visit = {"inputs": {}, "status": "complete", **recalled["phases"].get(source.phase, {})}
            visit[source.kind] = set_value(visit.get(source.kind), source.path, value)
            recalled["phases"] = {**recalled["phases"], source.phase: visit}
        return self._resolve_scope(choice, recalled)


def _set_counted(value: Any, path: Sequence[str], new: Any) -> Any:
    """Set the value at the path, and count the copy of the object that it is in."""
    if isinstance(value, dict):
        charge_work(len(value) // 10)
    return set_value(value, path, new)


def _create_random(seed: int) -> Random:
    return Random(seed)  # noqa: S311 - a simulation must be repeatable


def _build_empty_run(plan: SimulationPlan) -> Run:
    flow = plan.workflow
    return Run("", flow.name, flow.version, plan.definition.digest)


def _format_marks(assigned: Assignment) -> tuple[str, ...]:
    return tuple(
        to_canonical_json(_to_json_value(value)) for _, value in sorted(assigned.items(), key=lambda pair: pair[0])
    )


def _to_json_value(value: Any) -> Any:
    return repr(value) if value is ABSENT else value
