"""Tool `jobs.list`: the workflows that need no host, with the last run of each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from aurora import memory
from aurora.tools.core import Alias, Command, CompactModel, Example, StrictModel, Tool
from aurora.tools.workflows import find_jobs, list_inputs

if TYPE_CHECKING:
    from aurora.tools.core import Context


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


TOOL = Tool(
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
