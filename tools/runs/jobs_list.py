"""`jobs.list`: the workflows that run by themselves, and how each went last."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from aurora.tools.core import Command, CompactModel, Example, StrictModel, Tool
from aurora.tools.workflows import find_jobs, list_inputs

if TYPE_CHECKING:
    from aurora.tools.core import Context


class JobsInput(StrictModel):
    """No arguments."""


class LastRun(CompactModel):
    """The newest run of a job."""

    run: str
    status: str = Field(description="open, ended or failed.")
    updated_at: str


class Job(CompactModel):
    """A workflow whose phases need no host."""

    name: str
    title: str = ""
    description: str = ""
    phases: tuple[str, ...]
    needs: tuple[str, ...] = Field(default=(), description="Inputs that must be given.")
    last: LastRun | None = None


class JobsOutput(CompactModel):
    """The jobs by name."""

    jobs: tuple[Job, ...]


def list_jobs(given: JobsInput, context: Context) -> JobsOutput:  # noqa: ARG001 - every tool takes an input
    """List them."""
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
    from aurora.memory import database_path  # noqa: PLC0415 - a list of workflows needs no database otherwise

    if not database_path(context.root).exists():  # a look makes no memory
        return None
    for row in context.project.memory.journal.runs(1, 0, name):
        return LastRun(run=row.run, status=str(row.document.get("status", "open")), updated_at=row.updated_at)
    return None


TOOL = Tool(
    name="jobs.list",
    title="List jobs",
    description="The workflows whose phases need no host, so that a job can run them to their end; how each went last.",
    input=JobsInput,
    output=JobsOutput,
    run=list_jobs,
    family="workflow",
    risk="read",
    idempotent=True,
    timeout=30,
    examples=(Example("All jobs", {}),),
    mcp="aurora_jobs_list",
    command=Command("jobs list", "List the workflows that need no assistant."),
)
