"""Step of a run from the command line, logged like a host's call."""

from __future__ import annotations

import contextlib
import json
import re
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal
from weakref import WeakKeyDictionary

from pydantic import BaseModel, ConfigDict, Field

from aurora.errors import MATERIAL_NOTE, Code, Fault, mark_text, show_hidden_line, unmark_material
from aurora.interpreter import Call
from aurora.interpreter.language.model import CONTINUE
from aurora.interpreter.run.journal import find_question
from aurora.interpreter.run.next_call import truncate_response
from aurora.memory import has_memory
from aurora.system.secrets.masks import mask_json
from aurora.tools import trust
from aurora.tools.core import (
    DEFAULT_WORKFLOW,
    Command,
    CompactModel,
    Context,
    Example,
    Json,
    ProgressCallback,
    Tool,
    ignore_progress,
    is_own_run,
)
from aurora.tools.runtime import new_request_id, record_call

from .files import needs_job_tools

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aurora.interpreter import Definition, Engine
    from aurora.interpreter.run.call import PersonReply
    from aurora.memory import RunRow
    from aurora.tools.core import Project


def run_logged_step(
    project: Project,
    arguments: Mapping[str, Any],
    *,
    engine: Engine | None = None,
    person: PersonReply | None = None,
) -> dict[str, Any]:
    """Run a step and log it; a failure is a response with `status: error`.

    Args:
        project: the open project.
        arguments: those of the call.
        engine: the engine of a workflow that has no name in the project; by default the project's.
        person: the reply of the person to the question of a phase.
    """
    request = new_request_id()
    with record_call(project, request, TOOL.name, "cli") as outcome:
        envelope = step_workflow(project, arguments, request, engine=engine, person=person)
        outcome.set_from_output(envelope)
    return envelope


CALL_ARGUMENTS = frozenset({"phase", "workflow", "run", "step", "answer", "detail"})
"""Arguments of the call itself; all others are inputs of the phase."""


_SCALARS = tuple({"type": name} for name in ("string", "number", "boolean"))

QUERY_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "phase": {"type": "string", "description": "Leave out to begin."},
        "run": {"type": "string", "description": "Leave out to begin."},
        "answer": {
            "description": "What needs describes.",
            # Any value but null, with its types: hosts and models take an argument without a type for a text, and some
            # hosts refuse a list whose items have none.
            "anyOf": [
                {"type": "object"},
                {"type": "array", "items": {"anyOf": [{"type": "object"}, *_SCALARS, {"type": "array"}]}},
                *_SCALARS,
            ],
        },
        "step": {"type": "integer", "description": "From next_call."},
        "workflow": {
            "type": "string",
            "default": DEFAULT_WORKFLOW,
            "description": "soar-fast, check, code-review, bug-fix, design, feature, or the project's.",
        },
        "detail": {"type": "string", "enum": ["full"], "description": "All of the result."},
        "query": {"type": "string", "description": "The question or task, in the person's words."},
        "verbosity": {
            "enum": ["quiet", "normal", "verbose", "json"],
            "description": "Of the last text.",
        },
    },
}
"""Schema that hosts see: the same in every project, so that a server lists it before it has read a workflow.

It is open: the inputs of the phases are not in it, `next_call` carries them.
"""


class QueryInput(BaseModel):
    """Call of a phase, with the phase's inputs as further fields."""

    model_config = ConfigDict(frozen=True, extra="allow", strict=True)
    __pydantic_extra__: dict[str, Json] = Field(init=False)

    phase: str | None = Field(
        default=None,
        min_length=1,
        max_length=200,
        description="The phase to run, or one of its aliases; omit it to begin a run, or to continue one.",
    )
    workflow: str | None = Field(
        default=None, min_length=1, max_length=200, description="The workflow; for a run, its own. Default: soar."
    )
    run: str | None = Field(default=None, min_length=1, max_length=400, description="The run; omit it to begin one.")
    step: int | None = Field(default=None, ge=1, description="The number of this step, as next_call has it.")
    answer: Json = Field(default=None, description="The answer to the last prompt, as next_call.needs describes it.")
    detail: Literal["brief", "full"] = Field(
        default="brief", description="full: the whole result, and how the rules decided."
    )


class NextCall(BaseModel):
    """Next call to send, after adding what `needs` lists."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    tool: str
    arguments: dict[str, Json]
    needs: dict[str, Json] = Field(description="JSON Schema by argument of what you must add.")


class QueryError(BaseModel):
    """Error with its remedy."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    code: str
    message: str
    details: dict[str, Json]
    help: str


class QueryOutput(CompactModel):
    """Response to a call; `prompt_template`, `early_exit`, `output` and `error` only when set.

    `person` and `hints` are further fields: rare, and each name in the schema costs every session tokens.
    """

    model_config = ConfigDict(frozen=True, extra="allow", strict=True)
    __pydantic_extra__: dict[str, Json] = Field(init=False)

    phase: str
    progress: str
    status: str = Field(description="complete, waiting, skipped, declined or error")
    result: dict[str, Json] | None
    prompt_template: str | list[str] | dict[str, str] | None = Field(
        default=None, description="What to reason about now."
    )
    next_action: str
    early_exit: bool | None = None
    guidance: str
    next_call: NextCall | None
    run: str | None
    error: QueryError | None = None
    output: dict[str, Json] | None = Field(default=None, description="Of the workflow, at its end.")
    metadata: dict[str, Json]


def step_workflow(  # noqa: PLR0913 - the surfaces pass what they need by keyword
    project: Project,
    arguments: Mapping[str, Any],
    request_id: str = "",
    progress: ProgressCallback = ignore_progress,
    *,
    engine: Engine | None = None,
    person: PersonReply | None = None,
) -> dict[str, Any]:
    """Run a phase and return its response; a failure is a response with `status: error`.

    Args:
        project: the open project.
        arguments: the call's own arguments and the phase's inputs, as JSON values.
        request_id: shown in the response's metadata and in the log line.
        progress: who watches long work.
        engine: the engine of a job; by default the project's, whose phases may not use the tools for jobs.
        person: the reply of a person to the question of a phase; no host can give one.
    """
    arguments = _take_first_answer(project, arguments)
    response = _step_engine(engine or project.engine, arguments, request_id, progress, person)
    # Told once a run: at each step it would cost tokens and say nothing new.
    is_first = response["metadata"].get("step", 1) == 1
    notice = trust.build_notice(project) if is_first else ""
    if not notice:
        return response
    return truncate_response({**response, "guidance": f"{response['guidance']} {notice}".strip()})


def _step_engine(
    engine: Engine,
    arguments: Mapping[str, Any],
    request_id: str,
    progress: ProgressCallback,
    person: PersonReply | None,
) -> dict[str, Any]:
    fault = _check_arguments(arguments)
    if fault is not None:
        return refuse_step(engine, arguments, fault, request_id)
    # A tuple, since null is an answer too.
    answer = (arguments["answer"],) if "answer" in arguments else ()
    call = Call(
        phase=arguments.get("phase") or "",
        workflow=arguments.get("workflow"),
        run=arguments.get("run"),
        step=arguments.get("step"),
        answer=answer,
        # What `next_call` carried came with marks around texts of the project, and comes back with them.
        inputs=unmark_material(_list_inputs(arguments)),
        person=person,
        request_id=request_id,
        progress=progress,
        is_detailed=arguments.get("detail") == "full",
    )
    return engine.step(call)


def _take_first_answer(project: Project, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the arguments of a call that begins with an answer, whose text becomes the input `text`.

    `answer` is in the schema of the tool, and inputs are not: some hosts send only what the schema lists.
    """
    text = arguments.get("answer")
    if not isinstance(text, str) or arguments.get("run") is not None or "text" in arguments:
        return arguments
    try:
        workflow = project.workflows.open(str(arguments.get("workflow") or DEFAULT_WORKFLOW)).workflow
    except Fault:
        return arguments  # the engine reports it
    names = workflow.map_phase_names()
    phase = workflow.phases.get(names.get(arguments.get("phase") or workflow.start, ""))
    if phase is None or "text" not in phase.inputs:
        return arguments
    return {**{name: value for name, value in arguments.items() if name != "answer"}, "text": text}


def refuse_step(
    engine: Engine, arguments: Mapping[str, Any], fault: Fault, request_id: str = "", *, reads: bool = True
) -> dict[str, Any]:
    """Return the response to a call that did not reach the engine, or did not come back from it.

    Args:
        engine: reads the place of the run that the call names.
        arguments: as `step_workflow`; they may be wrong.
        fault: why the call has no response of its own.
        request_id: as `step_workflow`.
        reads: False for a server with no room for one more call.
    """
    named = {key: arguments[key] for key in ("phase", "workflow", "run") if isinstance(arguments.get(key), str)}
    return engine.refuse(Call(**{"phase": "", **named}, request_id=request_id), fault, reads=reads)


def _check_arguments(arguments: Mapping[str, Any]) -> Fault | None:
    """Check the call's own arguments; the engine checks the phase's inputs."""
    wrong: list[dict[str, str]] = []
    phase = arguments.get("phase")
    if phase is not None and (not isinstance(phase, str) or not phase):
        wrong.append({"path": "$.phase", "message": "must be the name of a phase"})
    wrong += [
        {"path": f"$.{name}", "message": "must be a text"}
        for name in ("workflow", "run")
        if arguments.get(name) is not None and not isinstance(arguments[name], str)
    ]
    number = arguments.get("step")
    if number is not None and (not isinstance(number, int) or isinstance(number, bool) or number < 1):
        wrong.append({"path": "$.step", "message": "must be a whole number from 1"})
    if arguments.get("detail", "brief") not in ("brief", "full"):
        wrong.append({"path": "$.detail", "message": 'must be "brief" or "full"'})
    wrong += [
        {"path": f"$.{name}", "message": "contains half of a character (a lone surrogate), which is not valid JSON"}
        for name, value in arguments.items()
        if not _is_encodable(value)
    ]
    if not wrong:
        return None
    message = f"this call is invalid: {wrong[0]['path']} {wrong[0]['message']}"
    return Fault(Code.INVALID_INPUT, message, details={"faults": wrong})


def _is_encodable(value: Any) -> bool:
    """Return False for a value with half of a character, which no record of a run could be read with."""
    try:
        json.dumps(value, ensure_ascii=False, default=str).encode("utf-8")
    except UnicodeEncodeError:
        return False
    except (ValueError, RecursionError):  # the engine refuses it
        return True
    return True


def list_host_workflows(project: Project) -> list[Definition]:
    """List the workflows that a host can begin, without those with errors.

    A job with tools that only jobs may use is left out, since a host cannot run it. So is any shipped job: a host has
    no use for it, and each name in the schema costs tokens.
    """
    definitions = []
    for name in project.workflows.list_names():
        with contextlib.suppress(Fault):
            definition = project.workflows.open(name)
            if needs_job_tools(definition) or (definition.source == "shipped" and definition.workflow.is_job):
                continue
            definitions.append(definition)
    return definitions


def _run(given: QueryInput, context: Context) -> QueryOutput:
    arguments = {**given.model_dump(exclude_unset=True), **(given.model_extra or {})}
    envelope = step_workflow(context.project, arguments, context.request_id, context.progress)
    if context.surface == "mcp":
        envelope = truncate_response(name_unfinished_run(context.project, arguments, envelope))
    return QueryOutput.model_validate(envelope)


_QUERY_TOOL = "aurora_query"

_MAX_LOOKED_AT = 20
"""Newest unfinished runs of the workflow among which one is looked for."""

_IN_FLIGHT = ("open", "waiting")

_RUN_ID = re.compile(r"[0-9a-z]{8}")

_PHASE = re.compile(r"[a-z][a-z0-9_]{0,39}")
"""Forms of what is named without marks: the database may have any text there."""

_UNITS = ((86_400, "day"), (3_600, "hour"), (60, "minute"))

# Weak, so that a server which closes an idle project does not keep it for its runs.
_session_runs: WeakKeyDictionary[Project, set[str]] = WeakKeyDictionary()
"""The runs that each open project has begun, continued or named: a process serves one session of a host."""


def name_unfinished_run(project: Project, arguments: Mapping[str, Any], response: dict[str, Any]) -> dict[str, Any]:
    """Name an unfinished run of an earlier session in the response to a call that names no run.

    Args:
        project: the open project.
        arguments: those of the call.
        response: the response; of a run of this session it is returned as it is.
    """
    known = _session_runs.setdefault(project, set())
    own = arguments.get("run") or response.get("run")
    if isinstance(own, str):
        known.add(own)
    # A look for a run must not create a memory.
    if arguments.get("run") is not None or project.read_only or not has_memory(project.root):
        return response
    earlier = _find_earlier(project, arguments, response, known)
    if earlier is None:
        return response
    # It is named once in a session.
    known.add(earlier.run)
    noted = {**response["metadata"], "unfinished": _describe(earlier)}
    sentence = (
        f"An earlier run of this question is unfinished: metadata.unfinished says where it waits. To go on with it "
        f"instead, call {_QUERY_TOOL} with the arguments of its next_call; the person closes it with "
        "`aur runs prune --state open`."
    )
    return {**response, "guidance": f"{response['guidance']} {sentence}", "metadata": noted}


def _find_earlier(
    project: Project, arguments: Mapping[str, Any], response: Mapping[str, Any], known: set[str]
) -> RunRow | None:
    """Find the newest unfinished run of a workflow and question, or else of the phase called."""
    workflow = str(response["metadata"].get("workflow", "")).partition("@")[0]
    # Masked, as the questions of runs are stored.
    question = _normalize(find_question(mask_json(_list_inputs(arguments))))
    try:
        rows = project.memory.journal.runs(_MAX_LOOKED_AT, 0, workflow, status=_IN_FLIGHT) if workflow else ()
    except Fault:
        return None  # the call itself reports it
    for row in rows:
        asked = _normalize(row.document.get("question"))
        is_same = asked == question if question else arguments.get("phase") == row.document.get("next")
        if is_same and row.run not in known and _RUN_ID.fullmatch(row.run) and is_own_run(row, project):
            return row
    return None


def _list_inputs(arguments: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in arguments.items() if name not in CALL_ARGUMENTS}


def _normalize(question: Any) -> str:
    """Return a question without case, punctuation at its ends and double blanks."""
    return " ".join(str(question or "").casefold().split()).strip(" .?!…")


def _describe(row: RunRow) -> dict[str, Any]:
    """Describe a run with what is checked, and its question as data."""
    found: dict[str, Any] = {"run": row.run, "status": row.document.get("status")}
    phase = row.document.get("phase")
    if isinstance(phase, str) and all(map(_PHASE.fullmatch, phase.split("/"))):
        found["phase"] = phase
    if age := _describe_age(row.updated_at):
        found["last_step"] = age
    if question := show_hidden_line(str(row.document.get("question") or ""))[:200]:
        found |= {"question": mark_text(question), "note": MATERIAL_NOTE}
    return {**found, "next_call": {"tool": _QUERY_TOOL, "arguments": {"phase": CONTINUE, "run": row.run}}}


def _describe_age(moment: str) -> str:
    """Describe how long ago a moment was, as `3 hours ago`; empty for what is no moment."""
    try:
        then = datetime.fromisoformat(moment)
    except ValueError:
        return ""
    seconds = time.time() - (then if then.tzinfo else then.replace(tzinfo=UTC)).timestamp()
    for size, unit in _UNITS:
        if seconds >= size:
            count = int(seconds // size)
            return f"{count} {unit}{'s' if count > 1 else ''} ago"
    return "less than a minute ago"


TOOL: Tool[QueryInput, QueryOutput] = Tool(
    name="workflow.step",
    title="Think through a question, phase by phase",
    description=(
        "Run one phase of a reasoning workflow. Begin with the person's query and without a phase. Then follow "
        "next_call: send its arguments unchanged and add what needs lists. Reason about a prompt_template first and "
        "send your answer. Continue until next_action is 'end'."
    ),
    input=QueryInput,
    output=QueryOutput,
    run=_run,
    family="core",
    risk="write",
    runs_read_only=True,
    idempotent=False,
    timeout=120.0,
    examples=(Example("begin a run", {"query": "Where is the retry delay computed?"}),),
    mcp="aurora_query",
    command=Command("workflow step", "Run one phase, as an assistant does.", arguments=("phase",)),
)
