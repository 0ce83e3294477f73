"""A script for a run: what the host says and what the tools give, phase by phase; what it leaves open is made."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from aurora.faults import Code, Fault
from aurora.interpreter.expressions.jmespath import ExpressionError, evaluate
from aurora.interpreter.run import scope
from aurora.interpreter.schema.validate import faults
from aurora.interpreter.simulation.sources import Source
from aurora.interpreter.simulation.step import FAILURE, Choice
from aurora.interpreter.simulation.values.generate import least

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aurora.interpreter.simulation.plan import Plan
    from aurora.interpreter.simulation.step import Moment

REAL = "real"
FAILS = "fails"


@dataclass(frozen=True, slots=True)
class Script:
    """What is said.

    Attributes:
        inputs: inputs by name, for every phase that has one of the name and does not recall it from the run.
        tools: by phase, `real`, the fields of a result, `{fails: CODE}`, or a list with one of these for each visit.
        answers: by phase, an answer, or a list with one for each time that it is asked for; under `for_each` a list
            with one for each item, visit after visit.
        others: what tools do that `tools` does not name: `real`, or `made` from the schema of the result.
    """

    inputs: Mapping[str, Any] = field(default_factory=dict)
    tools: Mapping[str, Any] = field(default_factory=dict)
    answers: Mapping[str, Any] = field(default_factory=dict)
    others: Literal["real", "made"] = "made"

    @property
    def runs_tools(self) -> bool:
        """Whether any tool is really run, so that there must be a project."""
        said = [one for value in self.tools.values() for one in (value if isinstance(value, list) else [value])]
        return self.others == REAL or REAL in said


class Unscripted(Exception):  # noqa: N818 - it says how the script stands
    """The script has answers for this phase, and they are used up; the text says so."""


class Player:
    """Plays a script through one run.

    Args:
        plan: the workflow.
        script: what is said.
    """

    def __init__(self, plan: Plan, script: Script) -> None:
        self._plan = plan
        self._script = script
        self._asked: dict[str, int] = {}
        self._visits: dict[str, int] = {}
        self._heard: dict[str, Any] = {}

    def bring(self, moment: Moment) -> Choice:
        """What is brought to the next step of the run.

        Raises:
            Unscripted: the answers for this phase are used up.
            Unmakeable: what the script leaves open could not be made.
        """
        phase = self._plan.workflow.names()[str(moment.coming)]
        if "phase" in moment.response and not moment.refused:
            self._heard[moment.response["phase"]] = {"result": moment.response["result"], "answer": None}
        owed = self._owed(moment)
        answer: tuple[Any, ...] = (self._answer(moment, *owed),) if owed is not None else ()
        inputs = self._inputs(phase, moment)
        if moment.run is None and owed is not None:  # no run is kept: the answer is handed over by name
            inputs = {**moment.arguments, **self._parts(phase, owed[0], answer[0]), **inputs}
            answer = ()
        elif moment.run is None:
            inputs = {**moment.arguments, **inputs}
        result, fault, real = self._tool(phase)
        return Choice(answer, inputs, result, fault, real=real)

    def again(self, moment: Moment) -> bool:
        """Whether the script has another answer for a host whose last one was refused."""
        owed = self._owed(moment)
        return owed is not None and self._left(*owed) and "answer" in moment.needs

    @staticmethod
    def _owed(moment: Moment) -> tuple[str, int] | None:
        """The phase whose prompt is to be answered, and how many answers that takes; 0 for a single one."""
        if moment.asked is not None:
            return moment.asked
        last = moment.run.last if moment.run else None
        return (last.phase, last.asks or 0) if last is not None and last.awaits_answer else None

    def _left(self, phase: str, asks: int) -> bool:
        said = self._script.answers.get(phase)
        turns = self._turns(phase, said)
        return turns is not None and self._asked.get(phase, 0) + self._taken_at_once(phase, asks) <= len(turns)

    def _answer(self, moment: Moment, phase: str, asks: int) -> Any:
        said = self._script.answers.get(phase)
        turns = self._turns(phase, said)
        at = self._asked.get(phase, 0)
        self._asked[phase] = at + self._taken_at_once(phase, asks)
        if phase not in self._script.answers:
            plain = self._plan.least(Source(phase, "answer", ()))
            return [plain] * asks if asks else plain
        if turns is None:
            return self._filled([said] * asks if asks else said, moment)
        taken = turns[at : self._asked[phase]]
        if not taken:
            raise Unscripted(f'"{phase}" asks for an answer once more, and the script has only {len(turns)}')
        return self._filled(taken if self._by_item(phase, said) else taken[0], moment)

    def _taken_at_once(self, phase: str, asks: int) -> int:
        """How many of the script's answers one call takes: one for each item, or one list of them."""
        return max(asks, 1) if self._by_item(phase, self._script.answers.get(phase)) else 1

    def _by_item(self, phase: str, said: Any) -> bool:
        """Whether a list holds one answer for each item, and not one list of them for each visit."""
        spec = self._plan.workflow.phases[phase]
        return spec.for_each is not None and isinstance(said, list) and not all(isinstance(one, list) for one in said)

    def _turns(self, phase: str, said: Any) -> list[Any] | None:
        """The answers in the order in which they are asked for; None when it is always the same."""
        if not isinstance(said, list):
            return None
        schema = self._plan.definition.answers.get(phase, {})
        if self._plan.workflow.phases[phase].for_each is not None:
            return said
        return None if not faults(said, schema) and not all(isinstance(one, list) for one in said) else said

    def _filled(self, value: Any, moment: Moment) -> Any:
        """The value with each `{from: EXPRESSION}` replaced by what the run holds."""
        if isinstance(value, dict):
            if set(value) == {"from"} and isinstance(value["from"], str):
                return self._recalled(value["from"], moment)
            return {name: self._filled(inner, moment) for name, inner in value.items()}
        if isinstance(value, list):
            return [self._filled(inner, moment) for inner in value]
        return value

    def _recalled(self, text: str, moment: Moment) -> Any:
        known = self._plan.workflow.phases
        seen = scope.recall(moment.run, known) if moment.run else {"inputs": {}, "phases": self._heard, "run": {}}
        try:
            return evaluate(text, {**seen, "result": moment.response.get("result")})
        except ExpressionError as error:
            raise Fault(Code.INVALID_INPUT, f'"from: {text}" of the script cannot be evaluated: {error}') from None

    def _inputs(self, phase: str, moment: Moment) -> dict[str, Any]:
        """What the script says to the phase, and what it needs besides."""
        specs = self._plan.workflow.phases[phase].inputs
        first = self._visits.get(phase, 0) == 0
        given = {
            name: self._filled(value, moment)
            for name, value in self._script.inputs.items()
            if name in specs and (name in moment.needs or (specs[name].from_ is None and first))
        }
        needed = {name: self._made(phase, name, moment) for name in moment.needs if name in specs and name not in given}
        owed = self._owed(moment)
        if moment.run is None and owed is not None:
            needed = {name: value for name, value in needed.items() if owed[0] not in (specs[name].from_ or "")}
        return {**needed, **given}

    def _made(self, phase: str, name: str, moment: Moment) -> Any:
        source = Source(phase, "inputs", (name,))
        return self._plan.least(source) if self._plan.values(source) else least(moment.needs[name])

    def _parts(self, phase: str, asked: str, answer: Any) -> dict[str, Any]:
        """By input of the phase, the part of the answer that it takes."""
        found = {}
        for name, spec in self._plan.workflow.phases[phase].inputs.items():
            if spec.from_ and f"phases.{asked}.answer" in spec.from_:
                found[name] = evaluate(spec.from_, {"phases": {asked: {"answer": answer}}, "inputs": {}, "run": {}})
        return {name: value for name, value in found.items() if value is not None}

    def _tool(self, phase: str) -> tuple[Any, Fault | None, bool]:
        """What the phase's tool gives, or fails with; True when the real one is asked."""
        visit = self._visits.get(phase, 0)
        self._visits[phase] = visit + 1
        if self._plan.workflow.phases[phase].uses is None:
            return None, None, False
        said = self._script.tools.get(phase, REAL if self._script.others == REAL else {})
        if isinstance(said, list):
            said = said[min(visit, len(said) - 1)] if said else {}
        if said == REAL:
            return None, None, True
        if isinstance(said, dict) and set(said) == {FAILS}:
            return None, _failure(said[FAILS]), False
        plain = self._plan.least(Source(phase, "result", ()))
        return ({**plain, **said} if isinstance(said, dict) and isinstance(plain, dict) else said), None, False


def _failure(code: Any) -> Fault:
    known = {one.value: one for one in Code}
    return Fault(known[code], FAILURE.message) if code in known else FAILURE
