"""Taking one step of a simulated run: the engine is the real one, the host and the tools are played."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ...faults import Code, Fault
from ..call import Call
from ..engine import Engine
from ..following import begin
from .stage import HeldJournal, OneWorkflow, PlayedTools, StillClock

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..definition import Definition
    from ..ports import Toolbox
    from ..record import Run


FAILURE = Fault(Code.UPSTREAM_ERROR, "the tool failed, as the simulation wanted it")
"""What a tool fails with when an error route is to be walked: nothing that whoever calls could mend."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What host and tool bring to one step.

    Attributes:
        answer: the answer to the prompt before, as a one-element tuple; empty when none is due.
        inputs: what the host passes by name.
        result: what the tool gives.
        fault: what it fails with instead.
    """

    answer: tuple[Any, ...] = ()
    inputs: Mapping[str, Any] = field(default_factory=dict)
    result: Any = None
    fault: Fault | None = None


@dataclass(frozen=True, slots=True)
class Moment:
    """How far a simulated run has come.

    Attributes:
        run: its history; None before the first step.
        response: the last response; that of the beginning names the first call.
    """

    run: Run | None
    response: Mapping[str, Any]

    @property
    def coming(self) -> str | None:
        """The phase that comes next, by the name that the rule uses; None at the end."""
        call = self.response.get("next_call")
        return call["arguments"]["phase"] if call else None

    @property
    def needs(self) -> Mapping[str, Any]:
        """By argument, the schema of what the host must bring to the next step."""
        call = self.response.get("next_call")
        return call["needs"] if call else {}

    @property
    def refused(self) -> bool:
        """Whether the last call was not taken."""
        return self.response.get("status") == "error" and not self.response["metadata"].get("step")


class Walker:
    """Walks runs of one workflow; any of them can be taken up again at any of its moments.

    Args:
        definition: the workflow.
        tools: who plays the tools; without it each gives what the step's choice says.
    """

    def __init__(self, definition: Definition, tools: Toolbox | None = None) -> None:
        self.definition = definition
        self._played = PlayedTools()
        self._journal = HeldJournal()
        name = definition.workflow.name
        self._engine = Engine(OneWorkflow(definition), tools or self._played, self._journal, StillClock(), default=name)
        self.steps = 0

    def start(self) -> Moment:
        """The moment before the first step."""
        return Moment(None, {"status": "complete", "next_call": begin(self.definition).as_json(), "metadata": {}})

    def take(self, moment: Moment, choice: Choice) -> Moment:
        """The moment after the next step; the one before stays as it was."""
        self._played.result, self._played.fault = choice.result, choice.fault
        self.steps += 1
        run = moment.run
        self._journal.runs = {run.run: run} if run else {}
        response = self._engine.step(
            Call(
                phase=str(moment.coming),
                run=run.run if run else None,
                step=len(run.steps) + 1 if run else None,
                answer=choice.answer,
                inputs=choice.inputs,
            )
        )
        after = self._journal.runs.get(str(response["run"]), run)
        return Moment(after, response)
