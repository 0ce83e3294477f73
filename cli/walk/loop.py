"""Loop over the phases of a workflow, with a host that answers the prompts."""

from __future__ import annotations

import getpass
import shlex
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from aurora.errors import Code, Fault
from aurora.interpreter.run.call import PersonReply
from aurora.interpreter.run.next_call import build_first_call, find_next_call
from aurora.tools.runs import resolve_run_id
from aurora.tools.runtime import MemoryJournal
from aurora.tools.workflows.query import run_logged_step

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aurora.interpreter import Definition, Engine, Run
    from aurora.tools.runtime import Workspace

MAX_STEPS = 10_000
"""Maximum calls of one run; the bounds of the workflow end it long before."""


class Host(Protocol):
    """Source of answers, and receiver of the responses."""

    def provide_value(self, name: str, schema: Mapping[str, Any], asked: PendingPrompt | None) -> Any:
        """Return the value for a need of the call; `asked` is given when it answers a prompt.

        Raises:
            Fault: there is no value; the loop ends.
        """

    def ask_person(self, question: Mapping[str, Any]) -> PersonAnswer | None:
        """Return the answer to a phase that only the person can answer; None where there is no terminal.

        Args:
            question: `message`, and `form`, the JSON Schema of the answer.
        """

    def report_step(self, response: Mapping[str, Any]) -> None:
        """Report a completed step."""

    def report_refusal(self, response: Mapping[str, Any]) -> bool:
        """Report a rejected call, and return whether to try again."""


@dataclass(frozen=True, slots=True)
class PersonAnswer:
    """Answer of the person: the form, or nothing when they declined."""

    accepts: bool
    form: Any = None


@dataclass(frozen=True, slots=True)
class PendingPrompt:
    """Prompts of a phase: one, one for each item, or one for each of its `names` (branches)."""

    phase: str
    prompts: tuple[str, ...]
    single: bool
    names: tuple[str, ...] = ()


@dataclass(slots=True)
class Walk:
    """Progress of a run.

    Attributes:
        run: its id; empty before the first step, and where runs are not recorded.
        path: the completed phases.
        last_response: the response to the last completed step.
        failed: the run has ended with an error that no `on_error` takes.
        waits: only the person can answer now, and cannot be asked here.
        engine: the engine of a workflow of any file; None for the project's.
        file: that file as the person named it; empty for a workflow of the project.
    """

    workflow: str
    run: str = ""
    path: list[str] = field(default_factory=list)
    last_response: Mapping[str, Any] | None = None
    ended: bool = False
    failed: bool = False
    refusal: Mapping[str, Any] | None = None
    waits: bool = False
    engine: Engine | None = None
    file: str = ""

    def format_command(self) -> str:
        """Return the command that continues the run."""
        words = ("aur workflow run", *([shlex.quote(self.file)] if self.file else ()), "--run", self.run)
        return " ".join(words)

    def to_json(self) -> dict[str, Any]:
        """Return the JSON output."""
        last = self.last_response or {}
        whole: dict[str, Any] = {
            "run": self.run or None,
            "workflow": self.workflow,
            "status": self._name_status(),
            "path": self.path,
            "next_action": last.get("next_action"),
            "result": last.get("result"),
        }
        if "output" in last:
            whole["output"] = last["output"]
        source = self.refusal or (last if self.failed else None)
        return {**whole, "error": source["error"]} if source else whole

    def _name_status(self) -> str:
        if self.ended:
            return "failed" if self.failed else "ended"
        return "waiting" if self.waits else "open"


def start_walk(definition: Definition, inputs: Mapping[str, Any]) -> tuple[Walk, dict[str, Any]]:
    """Return a new run and its first call."""
    first = build_first_call(definition).to_json()
    own = definition.workflow.phases[first["arguments"]["phase"]].inputs
    first["arguments"] |= {name: value for name, value in inputs.items() if name in own}
    first["needs"] = {name: schema for name, schema in first["needs"].items() if name not in inputs}
    return Walk(definition.label), first


def resume_walk(
    workspace: Workspace, name: str, definition: Definition | None = None
) -> tuple[Walk, dict[str, Any], Definition, PendingPrompt | None]:
    """Return an open run, its next call, its workflow, and the prompt without an answer.

    Args:
        workspace: the open project.
        name: the id of the run.
        definition: the workflow of a file; by default the project's of that name.

    Raises:
        Fault: NOT_FOUND for a run that does not exist; CONFLICT for one that has ended; INVALID_INPUT as `load`.
    """
    name = resolve_run_id(workspace, name)
    run = MemoryJournal(workspace).load(name)
    if run is None:
        raise Fault(Code.NOT_FOUND, f'there is no run "{name[:40]}"', help="Run `aur runs list` to see the runs.")
    definition = definition or workspace.workflows.load(run.workflow)
    coming = find_next_call(run, definition, workspace.workflows.load)
    if coming is None:
        raise Fault(
            Code.CONFLICT, f'run "{name}" has ended', help=f"Run `aur workflow explain {name}` to see its steps."
        )
    walk = Walk(definition.label, run.run, list_phases(run))
    last = run.last_step
    # A response is stored with the first step of its call.
    walk.last_response = run.steps[last.first_of_call - 1].response if last else None
    return walk, coming.to_json(), definition, get_pending_prompt(walk.last_response or {})


def list_phases(run: Run) -> list[str]:
    """List the phases that a run went through."""
    return [step.phase for step in run.steps if step.kind == "phase"]


def get_pending_prompt(response: Mapping[str, Any]) -> PendingPrompt | None:
    """Return the prompts of a response."""
    said = response.get("prompt_template")
    if said is None:
        return None
    if isinstance(said, dict):
        return PendingPrompt(response["phase"], tuple(said.values()), single=False, names=tuple(said))
    return PendingPrompt(response["phase"], (said,) if isinstance(said, str) else tuple(said), isinstance(said, str))


def continue_walk(
    workspace: Workspace, walk: Walk, call: Mapping[str, Any] | None, asked: PendingPrompt | None, host: Host
) -> None:
    """Continue from this call until the end, a final rejection, or an exception of the host."""
    try:
        _take_steps(workspace, walk, call, asked, host)
    finally:
        # The journal tells the path, because one call may record several
        # phases, and an interrupted one may have recorded its step.
        run = MemoryJournal(workspace).load(walk.run) if walk.run else None
        if run is not None:
            walk.path = list_phases(run)
            walk.failed = walk.ended and run.status == "failed"


def _take_steps(
    workspace: Workspace, walk: Walk, call: Mapping[str, Any] | None, asked: PendingPrompt | None, host: Host
) -> None:
    for _ in range(MAX_STEPS):
        if call is None:
            walk.ended = True
            return
        brought, person = _collect_values(walk, call, asked, host)
        if walk.waits:
            return
        arguments = {**call["arguments"], **brought, "detail": "full"}
        response = run_logged_step(workspace, arguments, engine=walk.engine, person=person)
        if "step" not in response["metadata"]:
            call = response["next_call"]
            if not host.report_refusal(response) or call is None:
                walk.refusal = response
                return
            continue
        walk.run, walk.last_response = response.get("run") or "", response
        host.report_step(response)
        asked, call = get_pending_prompt(response), response["next_call"]


def _collect_values(
    walk: Walk, call: Mapping[str, Any], asked: PendingPrompt | None, host: Host
) -> tuple[dict[str, Any], PersonReply | None]:
    """Collect what the call needs from the host, or from the person where only they can answer."""
    question = (walk.last_response or {}).get("person")
    if question is None:
        return {
            name: host.provide_value(name, schema, asked if name == "answer" else None)
            for name, schema in call["needs"].items()
        }, None
    answer = host.ask_person(question)
    walk.waits = answer is None
    if answer is None:
        return {}, None
    reply = PersonReply(answer.accepts, "terminal", getpass.getuser())
    return ({"answer": answer.form} if answer.accepts else {}), reply
