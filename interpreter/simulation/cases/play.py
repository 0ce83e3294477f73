"""Player of a script: one run from its start to its end, with all responses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from aurora.interpreter.simulation.plan import SimulationPlan
from aurora.interpreter.simulation.step import StepRunner
from aurora.interpreter.simulation.values import UnsatisfiableError

from .script import Script, ScriptExhaustedError, ScriptPlayer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aurora.interpreter.language import Definition
    from aurora.interpreter.run import Toolbox

MAX_CALLS = 500

ScriptStatus = Literal["ended", "refused", "cut"]


@dataclass(frozen=True, slots=True)
class ScriptResult:
    """The result of playing a script.

    Attributes:
        responses: every response, including refusals.
        status: `ended`; `refused` when a call was refused and the script has no other answer; `cut` at the
            bound on calls.
        reason: the reason when the run did not end.
    """

    responses: tuple[Mapping[str, Any], ...]
    status: ScriptStatus
    reason: str = ""

    @property
    def path(self) -> list[Any]:
        """The phases in order; a refused call is `{phase: CODE}`."""
        return [one["phase"] if is_taken(one) else {one["phase"]: one["error"]["code"]} for one in self.responses]


def is_taken(response: Mapping[str, Any]) -> bool:
    """Return whether the call became a step of the run; else it changed nothing."""
    return bool(response["metadata"].get("step"))


def play_script(
    definition: Definition, tools: Toolbox, script: Script, *, keeps: bool = True, most: int = MAX_CALLS
) -> ScriptResult:
    """Play a script.

    Args:
        definition: the workflow.
        tools: those that run where the script says `real`; elsewhere only their schemas count.
        script: the answers and results.
        keeps: whether the run is kept; in a read-only project it is not.
        most: the most calls, including refused ones.

    Raises:
        Fault: INVALID_INPUT when an expression of the script cannot be evaluated.
    """
    plan = SimulationPlan(definition, tools)
    walker, player = StepRunner(definition, tools, keeps=keeps), ScriptPlayer(plan, script)
    moment = walker.start()
    responses: list[Mapping[str, Any]] = []
    while moment.next_phase is not None:
        if len(responses) >= most:
            return ScriptResult(tuple(responses), "cut", f"the run has more than {most} calls")
        try:
            moment = walker.take_step(moment, player.build_choice(moment))
        except (ScriptExhaustedError, UnsatisfiableError) as reason:
            return ScriptResult(tuple(responses), "refused", str(reason))
        responses.append(moment.response)
        if moment.is_refused and not player.can_retry(moment):
            error = moment.response["error"]
            return ScriptResult(tuple(responses), "refused", f"{error['code']}: {error['message']}")
    return ScriptResult(tuple(responses), "ended")
