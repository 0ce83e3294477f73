"""`aurora_query`: one phase of a workflow, the tool that a host calls again and again."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field

from aurora.faults import Code, Fault
from aurora.interpreter import Call
from aurora.interpreter import build_query_schema as schema_of
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
)

from .unattended import is_job

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aurora.interpreter import Definition
    from aurora.tools.core import Project

CALL_ARGUMENTS = frozenset({"phase", "workflow", "run", "step", "answer"})
"""Arguments of the call itself; every other one is an input of the phase."""


class QueryInput(BaseModel):
    """The call; a phase's inputs stand beside these by name, as the workflow declares them."""

    model_config = ConfigDict(frozen=True, extra="allow", strict=True)
    __pydantic_extra__: dict[str, Json] = Field(init=False)

    phase: str = Field(min_length=1, max_length=200, description="The phase to run, or one of its aliases.")
    workflow: str | None = Field(
        default=None, max_length=200, description="The workflow; a run knows its own. Default: soar."
    )
    run: str | None = Field(default=None, max_length=80, description="The run; leave it out to begin one.")
    step: int | None = Field(default=None, ge=1, description="The number of this step, when next_call gives it.")
    answer: Json = Field(default=None, description="The answer to the prompt before, as next_call.needs describes it.")


class NextCall(BaseModel):
    """What to send next, as it stands, but for what `needs` lists."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    tool: str
    arguments: dict[str, Json]
    needs: dict[str, Json] = Field(description="By argument, the JSON Schema of what you must bring.")


class QueryError(BaseModel):
    """What went wrong, and what would be right."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    code: str
    message: str
    details: dict[str, Json]
    help: str


class QueryOutput(CompactModel):
    """The response to one phase call; `prompt_template`, `early_exit` and `error` only where they say something."""

    phase: str
    progress: str
    status: str = Field(description="complete or error")
    result: dict[str, Json] | None
    prompt_template: str | list[str] | None = Field(default=None, description="What to reason about now.")
    next_action: str
    early_exit: bool | None = None
    guidance: str
    next_call: NextCall | None
    run: str | None
    error: QueryError | None = None
    metadata: dict[str, Json]


def step_workflow(
    project: Project, arguments: Mapping[str, Any], request_id: str = "", progress: ProgressCallback = ignore_progress
) -> dict[str, Any]:
    """The response envelope for these arguments; a failure is an envelope with `status: error`. Never raises.

    Args:
        project: the open project.
        arguments: the call's own arguments and the phase's inputs, as JSON values.
        request_id: shown in the response's metadata and in the log line.
        progress: who watches long work.
    """
    fault = _check_arguments(arguments)
    if fault is not None:
        named = {key: arguments[key] for key in ("phase", "workflow") if isinstance(arguments.get(key), str)}
        return project.engine.refuse(Call(**{"phase": "", **named}, request_id=request_id), fault)
    answer = (arguments["answer"],) if "answer" in arguments else ()
    call = Call(
        phase=arguments["phase"],
        workflow=arguments.get("workflow"),
        run=arguments.get("run"),
        step=arguments.get("step"),
        answer=answer,
        inputs={name: value for name, value in arguments.items() if name not in CALL_ARGUMENTS},
        request_id=request_id,
        progress=progress,
    )
    return project.engine.step(call)


def _check_arguments(arguments: Mapping[str, Any]) -> Fault | None:
    """What is wrong with the call's own arguments; the phase's inputs are the engine's to check."""
    wrong: list[dict[str, str]] = []
    phase = arguments.get("phase")
    if not isinstance(phase, str) or not phase:
        wrong.append({"path": "$.phase", "message": "must be the name of a phase"})
    wrong += [
        {"path": f"$.{name}", "message": "must be a text"}
        for name in ("workflow", "run")
        if arguments.get(name) is not None and not isinstance(arguments[name], str)
    ]
    number = arguments.get("step")
    if number is not None and (not isinstance(number, int) or isinstance(number, bool) or number < 1):
        wrong.append({"path": "$.step", "message": "must be a whole number from 1"})
    if not wrong:
        return None
    message = f"this call cannot be taken: {wrong[0]['path']} {wrong[0]['message']}"
    return Fault(Code.INVALID_INPUT, message, details={"faults": wrong})


def build_query_schema(project: Project) -> dict[str, Any]:
    """The JSON Schema of the arguments, built from the workflows as they are now; a broken one is left out."""
    return schema_of(list_host_workflows(project), DEFAULT_WORKFLOW)


def list_host_workflows(project: Project) -> list[Definition]:
    """The workflows that a host may begin, by name; those with errors are told by `aur workflow validate`.

    A shipped job is left out: nothing in it is for a host, and each name in the schema costs tokens.
    """
    definitions = []
    for name in project.workflows.list_names():
        with contextlib.suppress(Fault):
            definition = project.workflows.open(name)
            if definition.source != "shipped" or not is_job(definition):
                definitions.append(definition)
    return definitions


def _run(given: QueryInput, context: Context) -> QueryOutput:
    arguments = {**given.model_dump(exclude_unset=True), **(given.model_extra or {})}
    envelope = step_workflow(context.project, arguments, context.request_id, context.progress)
    return QueryOutput.model_validate(envelope)


TOOL: Tool[QueryInput, QueryOutput] = Tool(
    name="workflow.step",
    title="Think through a question, phase by phase",
    description=(
        "Runs one phase of a reasoning workflow and says what comes next. Begin with phase='assess' and the "
        "person's query. Then follow next_call: send its arguments as they stand and add what needs lists. Where "
        "prompt_template is given, reason about it first and bring your answer. Go on until next_action is 'end'."
    ),
    input=QueryInput,
    output=QueryOutput,
    run=_run,
    family="core",
    risk="read",
    idempotent=False,
    timeout=120.0,
    examples=(Example("begin a run", {"phase": "assess", "query": "Where is the retry delay computed?"}),),
    mcp="aurora_query",
    command=Command("workflow step", "Run one phase, as an assistant does.", arguments=("phase",)),
)
