"""The script of a run: answers of the host and results of tools, by phase."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from aurora.faults import Code, Fault
from aurora.interpreter.expressions import ExpressionError, evaluate_expression
from aurora.interpreter.run.phase import build_recall_scope
from aurora.interpreter.schema import find_faults
from aurora.interpreter.simulation.sources import ValueSource
from aurora.interpreter.simulation.step import SIMULATED_FAILURE, StepChoice
from aurora.interpreter.simulation.values import generate_least_value

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aurora.interpreter.simulation.plan import SimulationPlan
    from aurora.interpreter.simulation.step import RunState

REAL_TOOL = "real"
FAILURE_KEY = "fails"
DECLINED = "declined"
"""The answer of a person who declines; a form is an object, so that no answer is this text."""


@dataclass(frozen=True, slots=True)
class Script:
    """The values of a script.

    Attributes:
        inputs: inputs by name, for every phase that has such an input and does not recall it from the run.
        tools: by phase, `real`, the fields of a result, `{fails: CODE}`, or a list with one of these for each visit.
        answers: by phase, an answer, or a list with one for each request; under `for_each` a list
            with one for each item, visit after visit; `declined` for a question that the person declines.
        others: the results of tools that `tools` lacks: `real`, or `made` from the schema of the result.
    """

    inputs: Mapping[str, Any] = field(default_factory=dict)
    tools: Mapping[str, Any] = field(default_factory=dict)
    answers: Mapping[str, Any] = field(default_factory=dict)
    others: Literal["real", "made"] = "made"

    @property
    def runs_tools(self) -> bool:
        """True when a real tool runs, so that there must be a project."""
        results: list[Any] = []
        for value in self.tools.values():
            results += value if isinstance(value, list) else [value]
        return self.others == REAL_TOOL or REAL_TOOL in results


class ScriptExhaustedError(Exception):
    """The answers of the script for this phase are used up."""


class ScriptPlayer:
    """The player of a script through one run.

    Args:
        plan: the workflow.
        script: the answers and results.
    """

    def __init__(self, plan: SimulationPlan, script: Script) -> None:
        self._plan = plan
        self._script = script
        self._answers_used: dict[str, int] = {}
        self._visits: dict[str, int] = {}
        self._last_results: dict[str, Any] = {}

    def build_choice(self, moment: RunState) -> StepChoice:
        """Build the choice for the next step of the run.

        Raises:
            ScriptExhaustedError: the answers for this phase are used up.
            UnsatisfiableError: no value could be generated for what the script leaves out.
        """
        phase = self._plan.find_deciding_phase(moment)
        if "phase" in moment.response and not moment.is_refused:
            self._last_results[moment.response["phase"]] = {"result": moment.response["result"], "answer": None}
        pending = self._find_pending_prompt(moment)
        answer: tuple[Any, ...] = (self._take_answer(moment, *pending),) if pending is not None else ()
        if moment.is_answering:
            return StepChoice(declines=True) if moment.is_waiting and answer == (DECLINED,) else StepChoice(answer)
        inputs = self._build_inputs(phase, moment)
        if moment.run is None and pending is not None:  # no run is kept: the answer is passed by name
            inputs = {**moment.arguments, **self._extract_answer_parts(phase, pending[0], answer[0]), **inputs}
            answer = ()
        elif moment.run is None:
            inputs = {**moment.arguments, **inputs}
        result, fault, real = self._choose_result(phase)
        return StepChoice(answer, inputs, result, fault, real=real)

    def can_retry(self, moment: RunState) -> bool:
        """Return whether the script has another answer after a refused one."""
        pending = self._find_pending_prompt(moment)
        return pending is not None and self._has_answers_left(*pending) and "answer" in moment.needs

    @staticmethod
    def _find_pending_prompt(moment: RunState) -> tuple[str, int] | None:
        """Find the phase of the pending prompt and the number of answers; 0 for a single one."""
        if moment.pending_prompt is not None:
            return moment.pending_prompt
        last = moment.run.last_step if moment.run else None
        return (last.phase, last.asks or 0) if last is not None and last.awaits_answer else None

    def _has_answers_left(self, phase: str, asks: int) -> bool:
        scripted = self._script.answers.get(phase)
        turns = self._list_turns(phase, scripted)
        return turns is not None and self._answers_used.get(phase, 0) + self._count_taken_answers(phase, asks) <= len(
            turns
        )

    def _take_answer(self, moment: RunState, phase: str, asks: int) -> Any:
        scripted = self._script.answers.get(phase)
        turns = self._list_turns(phase, scripted)
        at = self._answers_used.get(phase, 0)
        self._answers_used[phase] = at + self._count_taken_answers(phase, asks)
        if phase not in self._script.answers:
            plain = self._plan.find_least_value(ValueSource(phase, "answer", ()))
            return [plain] * asks if asks else plain
        if turns is None:
            return self._fill_placeholders([scripted] * asks if asks else scripted, moment)
        taken = turns[at : self._answers_used[phase]]
        if not taken:
            raise ScriptExhaustedError(f'"{phase}" needs another answer, and the script has only {len(turns)}')
        return self._fill_placeholders(taken if self._is_per_item(phase, scripted) else taken[0], moment)

    def _count_taken_answers(self, phase: str, asks: int) -> int:
        """Count the script's answers that one call takes: one per item, or one list."""
        return max(asks, 1) if self._is_per_item(phase, self._script.answers.get(phase)) else 1

    def _is_per_item(self, phase: str, scripted: Any) -> bool:
        """Return whether a list has one answer per item, not one list per visit."""
        spec = self._plan.workflow.phases[phase]
        return (
            spec.for_each is not None
            and isinstance(scripted, list)
            and not all(isinstance(entry, list) for entry in scripted)
        )

    def _list_turns(self, phase: str, scripted: Any) -> list[Any] | None:
        """List the answers in order; None when it is always the same one."""
        if not isinstance(scripted, list):
            return None
        schema = self._plan.definition.answers.get(phase, {})
        if self._plan.workflow.phases[phase].for_each is not None:
            return scripted
        return (
            None
            if not find_faults(scripted, schema) and not all(isinstance(entry, list) for entry in scripted)
            else scripted
        )

    def _fill_placeholders(self, value: Any, moment: RunState) -> Any:
        """Replace each `{from: EXPRESSION}` by its value in the run."""
        if isinstance(value, dict):
            if set(value) == {"from"} and isinstance(value["from"], str):
                return self._evaluate_placeholder(value["from"], moment)
            return {name: self._fill_placeholders(inner, moment) for name, inner in value.items()}
        if isinstance(value, list):
            return [self._fill_placeholders(inner, moment) for inner in value]
        return value

    def _evaluate_placeholder(self, text: str, moment: RunState) -> Any:
        seen = (
            build_recall_scope(moment.run, self._plan.definition)
            if moment.run
            else {"inputs": {}, "phases": self._last_results, "run": {}}
        )
        try:
            return evaluate_expression(text, {**seen, "result": moment.response.get("result")})
        except ExpressionError as error:
            raise Fault(Code.INVALID_INPUT, f'"from: {text}" of the script cannot be evaluated: {error}') from None

    def _build_inputs(self, phase: str, moment: RunState) -> dict[str, Any]:
        """Build the inputs of the phase: the script's, and generated ones that it needs."""
        specs = self._plan.workflow.phases[phase].inputs
        first = self._visits.get(phase, 0) == 0
        given = {
            name: self._fill_placeholders(value, moment)
            for name, value in self._script.inputs.items()
            if name in specs and (name in moment.needs or (specs[name].from_ is None and first))
        }
        needed = {
            name: self._generate_input(phase, name, moment)
            for name in moment.needs
            if name in specs and name not in given
        }
        pending = self._find_pending_prompt(moment)
        if moment.run is None and pending is not None:
            needed = {name: value for name, value in needed.items() if pending[0] not in (specs[name].from_ or "")}
        return {**needed, **given}

    def _generate_input(self, phase: str, name: str, moment: RunState) -> Any:
        source = ValueSource(phase, "inputs", (name,))
        return (
            self._plan.find_least_value(source)
            if self._plan.list_values(source)
            else generate_least_value(moment.needs[name])
        )

    def _extract_answer_parts(self, phase: str, asked_phase: str, answer: Any) -> dict[str, Any]:
        """Extract, by input of the phase, the part of the answer that it recalls."""
        found = {}
        for name, spec in self._plan.workflow.phases[phase].inputs.items():
            if spec.from_ and f"phases.{asked_phase}.answer" in spec.from_:
                found[name] = evaluate_expression(
                    spec.from_, {"phases": {asked_phase: {"answer": answer}}, "inputs": {}, "run": {}}
                )
        return {name: value for name, value in found.items() if value is not None}

    def _choose_result(self, phase: str) -> tuple[Any, Fault | None, bool]:
        """Choose the tool's result or failure; the third value is true for the real tool."""
        visit = self._visits.get(phase, 0)
        self._visits[phase] = visit + 1
        if not self._plan.workflow.phases[phase].has_result:
            return None, None, False
        scripted = self._script.tools.get(phase, REAL_TOOL if self._script.others == REAL_TOOL else {})
        if isinstance(scripted, list):
            scripted = scripted[min(visit, len(scripted) - 1)] if scripted else {}
        if scripted == REAL_TOOL:
            return None, None, True
        if isinstance(scripted, dict) and set(scripted) == {FAILURE_KEY}:
            return None, _to_fault(scripted[FAILURE_KEY]), False
        plain = self._plan.find_least_value(ValueSource(phase, "result", ()))
        return (
            ({**plain, **scripted} if isinstance(scripted, dict) and isinstance(plain, dict) else scripted),
            None,
            False,
        )


def _to_fault(code: Any) -> Fault:
    known = {member.value: member for member in Code}
    return Fault(known[code], SIMULATED_FAILURE.message) if code in known else SIMULATED_FAILURE
