"""One walk through a workflow with a person, or a file of answers, as the host."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from aurora.faults import Code, Fault

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aurora.interpreter import Definition
    from aurora.tools.runtime import Workspace

MAX_STEPS = 10_000
"""Calls of one walk; the bounds of the workflow end it long before."""


class Host(Protocol):
    """Who answers, and who is shown what happens."""

    def provide_value(self, name: str, schema: Mapping[str, Any], asked: PendingPrompt | None) -> Any:
        """What a call needs under this name; `asked` when it is the answer to a prompt.

        Raises:
            Fault: it is not there, and the walk ends.
        """

    def report_step(self, response: Mapping[str, Any]) -> None:
        """See a step that was taken."""

    def report_refusal(self, response: Mapping[str, Any]) -> bool:
        """See a call that was not taken; whether it is worth another try."""


@dataclass(frozen=True, slots=True)
class PendingPrompt:
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
    last_response: Mapping[str, Any] | None = None
    ended: bool = False
    refusal: Mapping[str, Any] | None = None

    def to_json(self) -> dict[str, Any]:
        """What is printed for machines."""
        last = self.last_response or {}
        whole: dict[str, Any] = {
            "run": self.run or None,
            "workflow": self.workflow,
            "status": "ended" if self.ended else "open",
            "path": self.path,
            "next_action": last.get("next_action"),
            "result": last.get("result"),
        }
        return {**whole, "error": self.refusal["error"]} if self.refusal else whole


def start_walk(definition: Definition, inputs: Mapping[str, Any]) -> tuple[Walk, dict[str, Any]]:
    """A walk before its first step, and its first call."""
    from aurora.interpreter.run import build_first_call  # noqa: PLC0415 - help does not need it

    first = build_first_call(definition).to_json()
    own = definition.workflow.phases[first["arguments"]["phase"]].inputs
    first["arguments"] |= {name: value for name, value in inputs.items() if name in own}
    first["needs"] = {name: schema for name, schema in first["needs"].items() if name not in inputs}
    return Walk(definition.label), first


def resume_walk(workspace: Workspace, name: str) -> tuple[Walk, dict[str, Any], Definition, PendingPrompt | None]:
    """A walk where it was left, its next call, its workflow, and the prompt that is still to be answered.

    Raises:
        Fault: NOT_FOUND for a run that does not exist; CONFLICT for one that has ended; INVALID_INPUT as `load`.
    """
    from aurora.interpreter.run import build_next_call  # noqa: PLC0415 - help does not need it
    from aurora.tools.runtime import MemoryJournal  # noqa: PLC0415 - as above

    run = MemoryJournal(workspace).load(name)
    if run is None:
        raise Fault(Code.NOT_FOUND, f'there is no run "{name[:40]}"', help="`aur runs list` shows the runs.")
    definition = workspace.workflows.load(run.workflow)
    coming = None
    if run.expected_phase in definition.workflow.phases:
        coming = build_next_call(definition, run)
    if coming is None:
        raise Fault(Code.CONFLICT, f'run "{name}" has ended', help=f"`aur workflow explain {name}` tells how it went.")
    walk = Walk(definition.label, run.run, [step.phase for step in run.steps])
    last = run.last_step
    walk.last_response = last.response if last else None
    return walk, coming.to_json(), definition, get_pending_prompt(walk.last_response or {})


def get_pending_prompt(response: Mapping[str, Any]) -> PendingPrompt | None:
    """The prompts of a response."""
    said = response.get("prompt_template")
    if said is None:
        return None
    return PendingPrompt(response["phase"], (said,) if isinstance(said, str) else tuple(said), isinstance(said, str))


def continue_walk(
    workspace: Workspace, walk: Walk, call: Mapping[str, Any] | None, asked: PendingPrompt | None, host: Host
) -> None:
    """Walk on from this call until the end, a refusal that cannot be mended, or what the host raises."""
    from aurora.tools.workflows import run_logged_step  # noqa: PLC0415 - help does not need the tools

    for _ in range(MAX_STEPS):
        if call is None:
            walk.ended = True
            return
        brought = {
            name: host.provide_value(name, schema, asked if name == "answer" else None)
            for name, schema in call["needs"].items()
        }
        response = run_logged_step(workspace, {**call["arguments"], **brought})
        if "step" not in response["metadata"]:
            call = response["next_call"]
            if not host.report_refusal(response) or call is None:
                walk.refusal = response
                return
            continue
        walk.run, walk.last_response = response.get("run") or "", response
        walk.path.append(response["phase"])
        host.report_step(response)
        asked, call = get_pending_prompt(response), response["next_call"]
