"""One run of a script, from the beginning to its end, and all that was answered on the way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from aurora.interpreter.simulation.plan import Plan
from aurora.interpreter.simulation.step import Walker
from aurora.interpreter.simulation.values.generate import Unmakeable

from .script import Player, Script, Unscripted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aurora.interpreter.language.definition import Definition
    from aurora.interpreter.run.ports import Toolbox

MOST_STEPS = 500

Ending = Literal["ended", "refused", "cut"]


@dataclass(frozen=True, slots=True)
class Played:
    """What came of a script.

    Attributes:
        responses: every response, refusals among them.
        status: `ended`; `refused` when a call was not taken and the script has nothing else to say; `cut` at the
            bound on steps.
        reason: why it did not end.
    """

    responses: tuple[Mapping[str, Any], ...]
    status: Ending
    reason: str = ""

    @property
    def path(self) -> list[Any]:
        """The phases in order; a call that was refused as `{phase: CODE}`."""
        return [one["phase"] if taken(one) else {one["phase"]: one["error"]["code"]} for one in self.responses]


def taken(response: Mapping[str, Any]) -> bool:
    """Whether the call became a step of the run; otherwise nothing has changed."""
    return bool(response["metadata"].get("step"))


def play(
    definition: Definition, tools: Toolbox, script: Script, *, keeps: bool = True, most: int = MOST_STEPS
) -> Played:
    """Play a script.

    Args:
        definition: the workflow.
        tools: run where the script says `real`; elsewhere only their schemas matter.
        script: what host and tools say.
        keeps: whether a run is kept; read-only, none is.
        most: calls, refused ones too.

    Raises:
        Fault: INVALID_INPUT when an expression of the script cannot be evaluated.
    """
    plan = Plan(definition, tools)
    walker, player = Walker(definition, tools, keeps=keeps), Player(plan, script)
    moment = walker.start()
    responses: list[Mapping[str, Any]] = []
    while moment.coming is not None:
        if len(responses) >= most:
            return Played(tuple(responses), "cut", f"it had more than {most} calls")
        try:
            moment = walker.take(moment, player.bring(moment))
        except (Unscripted, Unmakeable) as reason:
            return Played(tuple(responses), "refused", str(reason))
        responses.append(moment.response)
        if moment.refused and not player.again(moment):
            error = moment.response["error"]
            return Played(tuple(responses), "refused", f"{error['code']}: {error['message']}")
    return Played(tuple(responses), "ended")
