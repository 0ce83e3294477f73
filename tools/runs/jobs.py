"""Tools `jobs.list` and `jobs.run`: the workflows that need no host, and a run of one."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from aurora import memory
from aurora.errors import ArgumentFault, Code, Fault, find_nearest, quote_names
from aurora.interpreter import Engine
from aurora.interpreter.run.next_call import find_next_call
from aurora.tools.core import DEFAULT_WORKFLOW, Alias, Command, CompactModel, Example, StrictModel, Tool
from aurora.tools.runtime import MemoryJournal, PhaseToolRunner, ProjectSurroundings, SystemClock
from aurora.tools.workflows.files import find_first_inputs, find_jobs, list_inputs, load_job
from aurora.tools.workflows.query import step_workflow

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aurora.interpreter import Definition
    from aurora.tools.core import Context, Project


class JobsInput(StrictModel):
    """No arguments."""


class LastRun(CompactModel):
    """Newest run of a job."""

    run: str
    status: str = Field(description="open, ended or failed.")
    updated_at: str


class Job(CompactModel):
    """Workflow whose phases need no host."""

    name: str
    title: str = ""
    description: str = ""
    phases: tuple[str, ...]
    needs: tuple[str, ...] = Field(default=(), description="Required inputs.")
    last: LastRun | None = None


class JobsOutput(CompactModel):
    """Jobs by name."""

    jobs: tuple[Job, ...]


def list_jobs(given: JobsInput, context: Context) -> JobsOutput:
    """List the jobs."""
    del given  # no arguments
    out = []
    for name, definition in sorted(find_jobs(context.project).items()):
        flow = definition.workflow
        out.append(
            Job(
                name=name,
                title=flow.title,
                description=" ".join(flow.description.split()),
                phases=tuple(flow.phases),
                needs=tuple(key for key, must in list_inputs(definition).items() if must),
                last=_find_last_run(context, name),
            )
        )
    return JobsOutput(jobs=tuple(out))


def _find_last_run(context: Context, name: str) -> LastRun | None:
    if not memory.has_memory(context.root):  # listing must not create a database
        return None
    for row in context.project.memory.journal.runs(1, 0, name):
        return LastRun(run=row.run, status=str(row.document.get("status", "open")), updated_at=row.updated_at)
    return None


JOBS_LIST_TOOL = Tool(
    name="jobs.list",
    title="List jobs",
    description="The workflows whose phases need no host, so that they run as jobs, with the last run of each.",
    input=JobsInput,
    output=JobsOutput,
    run=list_jobs,
    family="workflow",
    risk="read",
    idempotent=True,
    timeout=30,
    phases=True,
    aliases=(Alias("ag_jobs_list"),),
    examples=(Example("All jobs", {}),),
    mcp="aurora_jobs_list",
    command=Command("jobs list", "List the workflows that need no assistant."),
)


MAX_STEPS = 10_000
"""Limit for the calls of one job; the limits of its workflow are far lower."""
_RECENT_RUNS = 50


class JobInput(StrictModel):
    """Job and its inputs."""

    name: str = Field(min_length=1, max_length=80, description="The workflow's name, as `jobs list` shows it.")
    set: tuple[str, ...] = Field(default=(), description="An input as name=value; the value is JSON or a text.")
    resume: bool = Field(default=False, description="Resume the newest interrupted run of the job.")


class JobStep(CompactModel):
    """Phase that was run."""

    phase: str
    status: str = Field(description="complete or error.")
    duration_ms: float
    error: str = ""
    code: str = ""


class JobOutput(CompactModel):
    """Result of a job."""

    job: str
    run: str
    status: Literal["ended", "stopped", "failed"] = Field(
        description="ended: to the end; stopped: by the early exit of a rule; failed: by an error in a phase."
    )
    exit_code: int = Field(description="0 when it ended, 1 otherwise.")
    resumed_after: int = Field(default=0, description="Number of steps of the earlier call.")
    steps: tuple[JobStep, ...]
    say: str = Field(default="", description="Text of the last rule.")
    help: str = ""


def run_job(given: JobInput, context: Context) -> JobOutput:
    """Run a job phase by phase; each step is stored, so that a killed job can resume.

    Raises:
        Fault: FORBIDDEN outside a terminal; NOT_FOUND; INVALID_INPUT for a workflow that is not a job and for invalid
            inputs; CONFLICT without a run to resume.
    """
    _require_terminal(given.name, context)
    definition = load_job(context.project, given.name)
    if given.resume and given.set:
        raise Fault(
            Code.INVALID_INPUT,
            "a resumed run keeps its inputs, and takes no new ones",
            help="Omit `set`, or omit `resume` to start a new run.",
        )
    if given.resume:
        done, call = _find_resumable_run(context, definition)
    else:
        done, call = 0, _build_first_call(definition, given.set)
    return _run_steps(definition, call, done, context)


def _require_terminal(name: str, context: Context) -> None:
    """Refuse a call that no person typed: its phases may use tools that no host may call."""
    if context.surface != "cli":
        raise Fault(
            Code.FORBIDDEN,
            "only a person in a terminal starts a job",
            help=f"Ask the person to run `aur jobs run {name}`.",
            details={"job": name, "surface": context.surface},
        )


def _create_engine(project: Project) -> Engine:
    """Create an engine whose phases may also use the tools for jobs."""
    journal = None if project.read_only else MemoryJournal(project)
    tools = PhaseToolRunner(project, runs_job=True)
    return Engine(
        project.workflows,
        tools,
        journal,
        SystemClock(),
        default=DEFAULT_WORKFLOW,
        surroundings=ProjectSurroundings(project),
    )


def _build_first_call(definition: Definition, pairs: tuple[str, ...]) -> dict[str, Any]:
    inputs = _parse_inputs(definition, pairs)
    missing = [name for name, must in list_inputs(definition).items() if must and name not in inputs]
    if missing:
        raise Fault(
            Code.INVALID_INPUT,
            f'"{definition.workflow.name}" needs {quote_names(missing)}',
            help=f'Give it in `set`: "{missing[0]}=VALUE".',
            details={"missing": missing},
        )
    flow = definition.workflow
    return {"workflow": flow.name, "phase": flow.start, **inputs}


def _parse_inputs(definition: Definition, pairs: tuple[str, ...]) -> dict[str, Any]:
    known = find_first_inputs(definition)
    out: dict[str, Any] = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not equals:
            raise ArgumentFault(
                Code.INVALID_INPUT,
                f'"{pair[:80]}" is not name=value',
                help="Write the name, an equals sign and the value: path=docs.",
            )
        if name not in known:
            guess = find_nearest(name, known)
            raise Fault(
                Code.INVALID_INPUT,
                f'"{definition.workflow.name}" has no input "{name[:80]}"'
                + (f'; did you mean "{guess}"?' if guess else ""),
                help=f"It takes {quote_names(known)}." if known else "It takes none.",
                details={"input": name[:80], "choices": sorted(known)},
            )
        # A text is taken as it is written: `007` and `true` would else become a number and a flag.
        out[name] = text if known[name].json_schema.get("type") == "string" else _parse_value(text)
    return out


def _parse_value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _find_resumable_run(context: Context, definition: Definition) -> tuple[int, dict[str, Any]]:
    """Return the number of finished steps, and the next call."""
    name = definition.workflow.name
    rows = context.project.memory.journal.runs(_RECENT_RUNS, 0, name)
    for row in rows:
        if row.document.get("status") != "open":
            continue
        run = MemoryJournal(context.project).load(row.run)
        following = find_next_call(run, definition, context.project.workflows.load) if run is not None else None
        if run is not None and following is not None:
            return len(run.steps), dict(following.arguments)
    raise Fault(
        Code.CONFLICT,
        f'no run of "{name}" was interrupted',
        help=f"A run is stored after its first phase; `aur jobs run {name}` starts a new one.",
        details={"job": name},
    )


def _run_steps(definition: Definition, call: Mapping[str, Any] | None, done: int, context: Context) -> JobOutput:
    engine = _create_engine(context.project)
    steps: list[JobStep] = []
    response: dict[str, Any] = {}
    failed = False
    total = len(definition.workflow.phases)
    while call is not None and len(steps) < MAX_STEPS:
        # A loop may visit more phases than the workflow has.
        context.progress(done + len(steps), max(total, done + len(steps) + 1), str(call["phase"]))
        whole = {**call, "detail": "full"}
        response = step_workflow(context.project, whole, context.request_id, engine=engine)
        steps.append(_describe_step(response))
        # A job has failed even where `on_error` led a phase that failed to the end.
        failed = failed or response["status"] == "error"
        following = response["next_call"]
        kept = "step" in response["metadata"]  # a refused call is not a step, and a retry would change nothing
        call = following["arguments"] if following and kept else None
    status: Literal["ended", "stopped", "failed"] = (
        "failed" if failed else "stopped" if response.get("early_exit") else "ended"
    )
    return JobOutput(
        job=definition.workflow.name,
        run=response.get("run") or "",
        status=status,
        exit_code=0 if status == "ended" else 1,
        resumed_after=done,
        steps=tuple(steps),
        say=str(response.get("guidance", "")) if status == "stopped" else "",
        help=(response.get("error") or {}).get("help", ""),
    )


def _describe_step(response: Mapping[str, Any]) -> JobStep:
    error = response.get("error") or {}
    return JobStep(
        phase=response["phase"],
        status=response["status"],
        duration_ms=float(response["metadata"].get("duration_ms", 0)),
        error=error.get("message", ""),
        code=error.get("code", ""),
    )


JOBS_RUN_TOOL = Tool(
    name="jobs.run",
    title="Run a job",
    description="Run a workflow that needs no assistant; `resume` continues an interrupted one.",
    input=JobInput,
    output=JobOutput,
    run=run_job,
    family="workflow",
    risk="write",
    idempotent=False,
    timeout=7200,
    aliases=(Alias("ag_jobs_run"),),
    examples=(Example("The shipped maintenance of the memory", {"name": "maintenance"}),),
    constraints=("Only the command line runs it: a host asks the person to.",),
    command=Command("jobs run", "Run a job to its end.", arguments=("name",)),
)


TOOLS = (
    JOBS_LIST_TOOL,
    JOBS_RUN_TOOL,
)
