"""Scripts: the answers and results of one run, by phase, and the run that they describe."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from aurora.errors import Code, Fault
from aurora.interpreter.expressions.error import ExpressionError
from aurora.interpreter.expressions.jmespath import evaluate_expression
from aurora.interpreter.run.frames import find_frame
from aurora.interpreter.run.rules import build_recall_scope
from aurora.interpreter.run.step import SEPARATOR
from aurora.interpreter.schema.validate import find_faults

from .generate import UnsatisfiableError, generate_least_value
from .plan import SimulationPlan
from .player import SIMULATED_FAILURE, StepChoice, StepRunner
from .sources import ValueSource

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from aurora.interpreter.checks import KnownWorkflows
    from aurora.interpreter.language.definition import Definition
    from aurora.interpreter.run.frames import Frame
    from aurora.interpreter.run.ports import Toolbox
    from aurora.interpreter.run.step import Step

    from .player import RunState

MAX_CALLS = 500


ScriptStatus = Literal["ended", "refused", "cut"]


@dataclass(frozen=True, slots=True)
class ScriptResult:
    """The result of playing a script.

    Attributes:
        responses: every response, including refusals; the response to a last answer is part of the one before.
        path: the phases in order; a refused call is `{phase: CODE}`.
        steps: the steps that were taken.
        status: `ended`; `refused` when a call was refused and the script has no other answer; `cut` at the
            bound on calls.
        reason: the reason when the run did not end.
    """

    responses: tuple[Mapping[str, Any], ...]
    path: tuple[Any, ...]
    steps: tuple[Step, ...]
    status: ScriptStatus
    reason: str = ""


@dataclass(slots=True)
class _Recording:
    """Recording of a script that is played."""

    responses: list[Mapping[str, Any]] = field(default_factory=list)
    path: list[Any] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)

    def add(self, moment: RunState) -> None:
        """Add the last call of a run."""
        response, steps = moment.response, moment.new_steps
        self.steps += steps
        if not is_taken(response):
            self.path.append({response["phase"]: response["error"]["code"]})
        self.path += [step.phase for step in steps if step.kind == "phase" and "/" not in step.phase]
        if self.responses and steps and all(step.kind == "answer" for step in steps) and not moment.next_phase:
            ending = {name: response[name] for name in ("next_action", "early_exit", "output") if name in response}
            self.responses[-1] = {**self.responses[-1], **ending}
        else:
            self.responses += _split_response(response, steps)

    def finish(self, status: ScriptStatus, reason: str = "") -> ScriptResult:
        """Return the result."""
        return ScriptResult(tuple(self.responses), tuple(self.path), tuple(self.steps), status, reason)


def _split_response(response: Mapping[str, Any], steps: Sequence[Step]) -> list[Mapping[str, Any]]:
    """Split the response to a call within the workflow of a phase: one for each step."""
    if not any(step.is_within for step in steps):
        return [response]
    split: list[Mapping[str, Any]] = []
    for step in steps:
        if step.kind == "enter":
            continue  # the workflow of a phase begins, and nothing has run
        is_shown = step is steps[0] and step.phase == response["phase"]
        part = {
            **(response if is_shown else {"run": response["run"], "error": step.error}),
            "phase": step.phase,
            "status": step.status,
            "result": step.result,
            "next_action": step.edge.token if step.edge is not None else response["next_action"],
            "metadata": {**response["metadata"], "step": step.seq, "decision": list(step.decision)},
        }
        split.append(part)
    return split


def is_taken(response: Mapping[str, Any]) -> bool:
    """Return whether the call became a step of the run; else it changed nothing."""
    return bool(response["metadata"].get("step"))


def play_script(  # noqa: PLR0913 - the ports of a run, and its bounds
    definition: Definition,
    tools: Toolbox,
    script: Script,
    known: KnownWorkflows | None = None,
    *,
    keeps: bool = True,
    most: int = MAX_CALLS,
) -> ScriptResult:
    """Play a script.

    Args:
        definition: the workflow.
        tools: those that run where the script says `real`; elsewhere only their schemas count.
        script: the answers and results.
        known: the workflows that phases run: they are walked where the script names phases of theirs, and their
            outputs fill in what it leaves out.
        keeps: whether the run is kept; in a read-only project it is not.
        most: the most calls, including refused ones.

    Raises:
        Fault: INVALID_INPUT when an expression of the script cannot be evaluated.
    """
    plan = SimulationPlan(definition, tools, known)
    walker = StepRunner(definition, tools, keeps=keeps, known=known, walked=script.walked_phases)
    player = ScriptPlayer(plan, script, walker.catalog.load)
    moment = walker.start()
    played = _Recording()
    while moment.next_phase is not None:
        if len(played.responses) >= most:
            return played.finish("cut", f"the run has more than {most} calls")
        try:
            moment = walker.take_step(moment, player.build_choice(moment))
        except (ScriptExhaustedError, UnsatisfiableError) as reason:
            return played.finish("refused", str(reason))
        played.add(moment)
        if moment.is_refused and not player.can_retry(moment):
            error = moment.response["error"]
            return played.finish("refused", f"{error['code']}: {error['message']}")
    return played.finish("ended")


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
    def walked_phases(self) -> frozenset[str]:
        """The phases whose workflow is walked, because the script names a phase of it and no result."""
        named = (name for group in (self.tools, self.answers) for name in group)
        around = {SEPARATOR.join(outer) for name in named for outer in _list_outer(name)}
        return frozenset(around - self.tools.keys())

    @property
    def runs_tools(self) -> bool:
        """True when a real tool runs, so that there must be a project."""
        results: list[Any] = []
        for value in self.tools.values():
            results += value if isinstance(value, list) else [value]
        return self.others == REAL_TOOL or REAL_TOOL in results


def _list_outer(name: str) -> Iterator[list[str]]:
    """Yield the phases around a phase: `a` and `a/b` for `a/b/c`."""
    words = name.split(SEPARATOR)
    return (words[:depth] for depth in range(1, len(words)))


class ScriptExhaustedError(Exception):
    """The answers of the script for this phase are used up."""


class ScriptPlayer:
    """The player of a script through one run.

    Args:
        plan: the workflow.
        script: the answers and results.
        load: returns a workflow that a phase runs, by its name.
    """

    def __init__(self, plan: SimulationPlan, script: Script, load: Callable[[str], Definition]) -> None:
        self._plan = plan
        self._script = script
        self._load = load
        self._inner_plans: dict[str, SimulationPlan] = {}
        self._answers_used: dict[str, int] = {}
        self._visits: dict[str, int] = {}
        self._last_results: dict[str, Any] = {}

    def build_choice(self, moment: RunState) -> StepChoice:
        """Build the choice for the next step of the run.

        Raises:
            ScriptExhaustedError: the answers for this phase are used up.
            UnsatisfiableError: no value could be generated for what the script leaves out.
        """
        phase = self._find_deciding_phase(moment)
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

    def _find_deciding_phase(self, moment: RunState) -> str:
        """Find the phase whose rules the next call evaluates, also of a workflow that is walked."""
        frame = self._find_frame(moment)
        if frame is None or frame.parent is None:
            return self._plan.find_deciding_phase(moment)
        last = frame.run.last_step
        return f"{frame.prefix}{last.phase if last is not None and last.holds else frame.expected_phase}"

    def _find_frame(self, moment: RunState) -> Frame | None:
        """Find the workflow of the run's last step; None where no run is kept."""
        return find_frame(moment.run, self._plan.definition, self._load) if moment.run is not None else None

    def _find_plan(self, phase: str) -> tuple[SimulationPlan, str]:
        """Find the plan of the workflow that a phase belongs to, and its name there."""
        plan, prefix = self._plan, ""
        *outer, name = phase.split(SEPARATOR)
        for word in outer:
            prefix = f"{prefix}{word}{SEPARATOR}"
            if prefix not in self._inner_plans:
                inner = self._load(str(plan.workflow.phases[word].workflow))
                self._inner_plans[prefix] = SimulationPlan(inner, plan.view.tools, plan.view.workflows)
            plan = self._inner_plans[prefix]
        return plan, name

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
            plan, name = self._find_plan(phase)
            plain = plan.find_least_value(ValueSource(name, "answer", ()))
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
        plan, name = self._find_plan(phase)
        spec = plan.workflow.phases[name]
        return (
            spec.for_each is not None
            and isinstance(scripted, list)
            and not all(isinstance(entry, list) for entry in scripted)
        )

    def _list_turns(self, phase: str, scripted: Any) -> list[Any] | None:
        """List the answers in order; None when it is always the same one."""
        if not isinstance(scripted, list):
            return None
        plan, name = self._find_plan(phase)
        schema = plan.definition.answers.get(name, {})
        if plan.workflow.phases[name].for_each is not None:
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
        frame = self._find_frame(moment)
        seen = (
            build_recall_scope(frame.run, frame.definition)
            if frame is not None
            else {"inputs": {}, "phases": self._last_results, "run": {}}
        )
        try:
            return evaluate_expression(text, {**seen, "result": moment.response.get("result")})
        except ExpressionError as error:
            raise Fault(Code.INVALID_INPUT, f'"from: {text}" of the script cannot be evaluated: {error}') from None

    def _build_inputs(self, phase: str, moment: RunState) -> dict[str, Any]:
        """Build the inputs of the phase: the script's, and generated ones that it needs."""
        plan, local = self._find_plan(phase)
        specs = plan.workflow.phases[local].inputs
        first = self._visits.get(phase, 0) == 0 and local == phase  # else the phase around it brings them
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
        plan, local = self._find_plan(phase)
        source = ValueSource(local, "inputs", (name,))
        return plan.find_least_value(source) if plan.list_values(source) else generate_least_value(moment.needs[name])

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
        plan, name = self._find_plan(phase)
        if not plan.workflow.phases[name].has_result:
            return None, None, False
        scripted = self._script.tools.get(phase, REAL_TOOL if self._script.others == REAL_TOOL else {})
        if isinstance(scripted, list):
            scripted = scripted[min(visit, len(scripted) - 1)] if scripted else {}
        if scripted == REAL_TOOL:
            return None, None, True
        if isinstance(scripted, dict) and set(scripted) == {FAILURE_KEY}:
            return None, _to_fault(scripted[FAILURE_KEY]), False
        plain = plan.find_least_value(ValueSource(name, "result", ()))
        return (
            ({**plain, **scripted} if isinstance(scripted, dict) and isinstance(plain, dict) else scripted),
            None,
            False,
        )


def _to_fault(code: Any) -> Fault:
    known = {member.value: member for member in Code}
    return Fault(known[code], SIMULATED_FAILURE.message) if code in known else SIMULATED_FAILURE
