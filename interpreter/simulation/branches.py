"""The ways in which a run can go on from a moment: for each rule, what host and tool must bring that it is taken."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice, product
from math import prod
from random import Random
from typing import TYPE_CHECKING, Any

from aurora.interpreter.expressions.jmespath import ExpressionError, evaluate
from aurora.interpreter.run import scope
from aurora.interpreter.run.call import Call
from aurora.interpreter.run.inputs import Refusal, take_inputs
from aurora.interpreter.schema.validate import canonical
from aurora.interpreter.simulation.values.distance import to_rule
from aurora.interpreter.simulation.values.generate import Unmakeable
from aurora.interpreter.simulation.values.set_path import ABSENT, put

from .sources import Source
from .step import FAILURE, Choice

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from aurora.interpreter.language.model import Rule
    from aurora.interpreter.run.journal import Run

    from .plan import Plan
    from .step import Moment

    Assignment = Mapping[Source, Any]

MOST_TRIED = 400
"""Combinations of values that are tried at one moment before the search becomes a directed one."""
MOST_KEPT = 64
"""Ways on that differ only in what later phases look at."""
SWEEPS = 6


@dataclass(frozen=True, slots=True)
class Option:
    """One way on.

    Attributes:
        choice: what is brought.
        rule: the index of the rule that will be taken, from 0; None when none holds, or the tool fails.
        marks: the values that later rules look at, as text.
    """

    choice: Choice
    rule: int | None
    marks: tuple[str, ...] = ()


class Turn:
    """One moment of a run, and what can be brought to it.

    Args:
        plan: the workflow.
        moment: where the run stands; there is a phase that comes.
    """

    def __init__(self, plan: Plan, moment: Moment) -> None:
        self._plan = plan
        self._moment = moment
        self.phase = plan.workflow.names()[str(moment.coming)]
        self._spec = plan.workflow.phases[self.phase]
        self._rules = self._spec.next_action
        self._run = moment.run or _nothing(plan)
        before = self._run.last
        self._owed = before if before is not None and before.awaits_answer else None

    def free(self, looked_at: frozenset[Source]) -> list[Source]:
        """What of these can be chosen now."""
        return sorted(one for one in looked_at if self._is_free(one) and self._plan.values(one))

    def _is_free(self, source: Source) -> bool:
        if source.kind == "answer":
            return self._owed is not None and source.phase == self._owed.phase
        if source.kind == "result" and self._spec.uses is None:
            return False
        return source.phase == self.phase

    def options(self, focus: frozenset[Source]) -> list[Option]:
        """A way on for each rule that can be taken from here, and one for each value that later rules look at.

        Args:
            focus: what of the values that later rules look at is varied.

        Raises:
            Unmakeable: some schema accepts nothing that was tried.
        """
        own = self.free(self._plan.looked_at[self.phase])
        later = [one for one in self.free(focus) if one not in own]
        kept = [one for one in own if one in focus]
        found: dict[tuple[Any, ...], tuple[dict[Source, Any], int | None]] = {}
        for assigned, rule in self._tried(own):
            key = (rule, *(canonical(_text(assigned.get(one))) for one in kept))
            if key not in found and len(found) < MOST_KEPT:
                found[key] = (assigned, rule)
        ways = [
            Option(self.choice({**assigned, **more}), rule, (*map(str, key[1:]), *_marks(more)))
            for key, (assigned, rule) in found.items()
            for more in self._combined(later, max(MOST_KEPT // max(len(found), 1), 1))
        ]
        fails = self._spec.uses is not None and self._plan.workflow.failing_leads_to(self.phase) is not None
        return [*ways, *([Option(self._failing(), None, ("fails",))] if fails else [])]

    def _failing(self) -> Choice:
        plain = self.choice({})
        return Choice(plain.answer, plain.inputs, None, FAILURE)

    def choice(self, assigned: Assignment) -> Choice:
        """What is brought, the plainest of everything but for what is assigned."""
        plan = self._plan
        answer: tuple[Any, ...] = ()
        if self._owed is not None:
            answer = (self._answer(assigned),)
        inputs = {
            name: plan.least(Source(self.phase, "inputs", (name,))) for name in self._moment.needs if name != "answer"
        }
        result = plan.least(Source(self.phase, "result", ())) if self._spec.uses is not None else None
        for source, value in assigned.items():
            if source.kind == "result":
                result = put(result, source.path, value)
            elif source.kind == "inputs" and (len(source.path) > 1 or value is not ABSENT):
                name, *rest = source.path
                held = inputs.get(name, plan.least(Source(self.phase, "inputs", (name,))) if rest else None)
                inputs[name] = put(held, rest, value)
        return Choice(answer, inputs, result)

    def _answer(self, assigned: Assignment) -> Any:
        """The answer that is owed; to several prompts one each, of which the first is as assigned."""
        owed = self._owed
        if owed is None:
            return None
        plain = self._plan.least(Source(owed.phase, "answer", ()))
        told = plain
        for source, value in assigned.items():
            if source.kind == "answer":
                told = put(told, source.path, value)
        return [told, *[plain] * (owed.asks - 1)] if owed.asks else told

    def seen(self, choice: Choice) -> Mapping[str, Any] | None:
        """What the rules see when this is brought; None when the call would be refused."""
        recalled = scope.recall(self._run, self._plan.workflow.phases, choice.answer)
        refusal = Refusal()
        call = Call(self.phase, inputs=choice.inputs)
        inputs = take_inputs(call, self._plan.definition, self.phase, recalled, refusal)
        return None if refusal.faults else scope.decide(inputs, choice.result, recalled)

    def holds(self, seen: Mapping[str, Any]) -> int | None:
        """The first rule that holds; None when none does, or one cannot be evaluated before it."""
        for index, rule in enumerate(self._rules):
            try:
                value = rule.when is None or evaluate(rule.when, seen)
            except ExpressionError:
                return None
            if value is True:
                return index
            if value is not False:
                return None
        return None

    def _tried(self, own: list[Source]) -> Iterator[tuple[dict[Source, Any], int | None]]:
        """Assignments with the rule that each leads to: all, or where these are too many those that a search finds."""
        refused = 0
        reached: set[int | None] = set()
        for assigned in self._combined(own, MOST_TRIED):
            seen = self.seen(self.choice(assigned))
            refused += seen is None
            if seen is not None:
                rule = self.holds(seen)
                reached.add(rule)
                yield assigned, rule
        if not reached:
            yield {}, None  # every call is refused; the walk shows how
        if prod(len(self._plan.values(one)) for one in own) > MOST_TRIED:
            for index in range(len(self._rules)):
                found = None if index in reached else self.search(own, self._rules, index)
                if found is not None:
                    yield found, index

    def _combined(self, free: list[Source], most: int) -> Iterator[dict[Source, Any]]:
        """Nothing assigned; each value by itself; then values together, all of them or a fair draw."""
        yield {}
        values = [self._plan.values(one) for one in free]
        if prod(len(one) for one in values) <= most:
            yield from (dict(zip(free, case, strict=True)) for case in islice(product(*values), most))
            return
        yield from islice(({one: value} for one, each in zip(free, values, strict=True) for value in each), most)
        draw = Random(0)  # noqa: S311 - the same draw every time is the point
        for _ in range(most // 4):
            yield {one: draw.choice(each) for one, each in zip(free, values, strict=True)}

    def before(self, index: int) -> int | None:
        """The rule that is taken in place of this one when this one holds; None when nothing makes it hold."""
        own = self.free(self._plan.looked_at[self.phase])
        alone = self._rules[index : index + 1]
        found = self.search(own, alone, 0)
        seen = None if found is None else self.seen(self.choice(found))
        return None if seen is None else self.holds(seen)

    def search(self, own: list[Source], rules: Sequence[Rule], index: int) -> dict[Source, Any] | None:
        """Values by which a rule is the first of these that holds; goes down along the distance, a value at a time."""
        draw = Random(index)  # noqa: S311 - as above
        for start in range(4):
            best = {one: draw.choice(self._plan.values(one)) for one in own} if start else {}
            left = self._far(best, rules, index)
            for _ in range(SWEEPS):
                if left == 0:
                    return best
                before = left
                for one in own:
                    for value in self._plan.values(one):
                        nearer = self._far({**best, one: value}, rules, index)
                        if nearer < left:
                            best, left = {**best, one: value}, nearer
                if left == before:
                    break
            if left == 0:
                return best
        return None

    def _far(self, assigned: Assignment, rules: Sequence[Rule], index: int) -> float:
        try:
            seen = self.seen(self.choice(assigned))
        except Unmakeable:
            seen = None
        return float("inf") if seen is None else to_rule(rules, index, seen)


def _nothing(plan: Plan) -> Run:
    from aurora.interpreter.run.journal import Run  # noqa: PLC0415 - annotated above, needed only here

    flow = plan.workflow
    return Run("", flow.name, flow.version, plan.definition.digest)


def _marks(assigned: Assignment) -> tuple[str, ...]:
    return tuple(canonical(_text(value)) for _, value in sorted(assigned.items(), key=lambda pair: pair[0]))


def _text(value: Any) -> Any:
    return repr(value) if value is ABSENT else value
