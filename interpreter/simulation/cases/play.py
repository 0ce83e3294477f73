"""Player of a script: one run from its start to its end, with all responses."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from aurora.interpreter.simulation.plan import SimulationPlan
from aurora.interpreter.simulation.step import StepRunner
from aurora.interpreter.simulation.values.generate import UnsatisfiableError

from .script import Script, ScriptExhaustedError, ScriptPlayer

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aurora.interpreter.checks import KnownWorkflows
    from aurora.interpreter.language.definition import Definition
    from aurora.interpreter.run.ports import Toolbox
    from aurora.interpreter.run.step import Step
    from aurora.interpreter.simulation.step import RunState

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
