"""One walk through a workflow with a person, or a file of answers, as the host."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from aurora.faults import Code, Fault

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aurora.interpreter import Definition
    from aurora.tools.runtime.workspace import Workspace

MOST_STEPS = 10_000
"""Calls of one walk; the bounds of the workflow end it long before."""


class Host(Protocol):
    """Who answers, and who is shown what happens."""

    def bring(self, name: str, schema: Mapping[str, Any], asked: Asked | None) -> Any:
        """What a call needs under this name; `asked` when it is the answer to a prompt.

        Raises:
            Fault: it is not there, and the walk ends.
        """

    def shown(self, response: Mapping[str, Any]) -> None:
        """See a step that was taken."""

    def refused(self, response: Mapping[str, Any]) -> bool:
        """See a call that was not taken; whether it is worth another try."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A phase's prompts, one for each item under `for_each`."""

    phase: str
    prompts: tuple[str, ...]
    single: bool


@dataclass(slots=True)
class Walk:
    """How far a walk has come.

    Attributes:
        run: its id; empty where runs are not kept, and before the first step.
        path: the phases that were taken.
        last: the response to the last step that was taken.
    """

    workflow: str
    run: str = ""
    path: list[str] = field(default_factory=list)
    last: Mapping[str, Any] | None = None
    ended: bool = False
    refusal: Mapping[str, Any] | None = None

    def as_json(self) -> dict[str, Any]:
        """What is printed for machines."""
        last = self.last or {}
        whole: dict[str, Any] = {
            "run": self.run or None,
            "workflow": self.workflow,
            "status": "ended" if self.ended else "open",
            "path": self.path,
            "next_action": last.get("next_action"),
            "result": last.get("result"),
        }
        return {**whole, "error": self.refusal["error"]} if self.refusal else whole


def begun(definition: Definition, inputs: Mapping[str, Any]) -> tuple[Walk, dict[str, Any]]:
    """A walk before its first step, and its first call."""
    from aurora.interpreter.run.next_call import begin  # noqa: PLC0415 - help does not need it

    first = begin(definition).as_json()
    own = definition.workflow.phases[first["arguments"]["phase"]].inputs
    first["arguments"] |= {name: value for name, value in inputs.items() if name in own}
    first["needs"] = {name: schema for name, schema in first["needs"].items() if name not in inputs}
    return Walk(definition.label), first


def resumed(workspace: Workspace, name: str) -> tuple[Walk, dict[str, Any], Definition, Asked | None]:
    """A walk where it was left, its next call, its workflow, and the prompt that is still to be answered.

    Raises:
        Fault: NOT_FOUND for a run that does not exist; CONFLICT for one that has ended; INVALID_INPUT as `load`.
    """
    from aurora.interpreter.run.next_call import follow  # noqa: PLC0415 - help does not need it
    from aurora.tools.runtime.ports import MemoryJournal  # noqa: PLC0415 - as above

    run = MemoryJournal(workspace).load(name)
    if run is None:
        raise Fault(Code.NOT_FOUND, f'there is no run "{name[:40]}"', help="`aur runs list` shows the runs.")
    definition = workspace.workflows.load(run.workflow)
    coming = None
    if run.expected in definition.workflow.phases:
        coming = follow(definition, run)
    if coming is None:
        raise Fault(Code.CONFLICT, f'run "{name}" has ended', help=f"`aur workflow explain {name}` tells how it went.")
    walk = Walk(definition.label, run.run, [step.phase for step in run.steps])
    last = run.last
    walk.last = last.response if last else None
    return walk, coming.as_json(), definition, asked_in(walk.last or {})


def asked_in(response: Mapping[str, Any]) -> Asked | None:
    """The prompts of a response."""
    said = response.get("prompt_template")
    if said is None:
        return None
    return Asked(response["phase"], (said,) if isinstance(said, str) else tuple(said), isinstance(said, str))


def go(workspace: Workspace, walk: Walk, call: Mapping[str, Any] | None, asked: Asked | None, host: Host) -> None:
    """Walk on from this call until the end, a refusal that cannot be mended, or what the host raises."""
    from aurora.tools.workflows.step import stepped  # noqa: PLC0415 - help does not need the tools

    for _ in range(MOST_STEPS):
        if call is None:
            walk.ended = True
            return
        brought = {
            name: host.bring(name, schema, asked if name == "answer" else None)
            for name, schema in call["needs"].items()
        }
        response = stepped(workspace, {**call["arguments"], **brought})
        if "step" not in response["metadata"]:
            call = response["next_call"]
            if not host.refused(response) or call is None:
                walk.refusal = response
                return
            continue
        walk.run, walk.last = response.get("run") or "", response
        walk.path.append(response["phase"])
        host.shown(response)
        asked, call = asked_in(response), response["next_call"]
