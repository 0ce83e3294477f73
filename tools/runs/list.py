"""Tool `runs.list`: the newest runs of a project, open and finished."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from pydantic import Field

from aurora.tools.core import Alias, Command, CompactModel, Example, StrictModel, Tool

if TYPE_CHECKING:
    from aurora.memory import RunRow
    from aurora.tools.core import Context

_OPEN = {"status": "open", "workflow": "soar"}

RunStatus: TypeAlias = Literal["open", "waiting", "ended", "failed"]


class RunsInput(StrictModel):
    """Filters and page of the list."""

    limit: int = Field(default=20, ge=1, le=100, description="Maximum number of runs, the newest first.")
    status: RunStatus | None = Field(default=None, description="Only the runs in this state.")
    workflow: str | None = Field(
        default=None, min_length=1, max_length=80, description="Only the runs of this workflow."
    )
    text: str | None = Field(
        default=None, min_length=1, max_length=200, description="Only runs with this text in their inputs or answers."
    )
    offset: int = Field(default=0, ge=0, le=1_000_000, description="Number of runs to skip.")


class ListedRun(CompactModel):
    """Run; `status` is open, waiting, ended or failed, `next` the possible next phase."""

    run: str
    workflow: str
    question: str = Field(default="", description="The longest text that began it, shortened.")
    status: str
    phase: str | None = Field(default=None, description="The last phase that ran.")
    next: str | None = None
    steps: int
    tokens_used: int | None = Field(default=None, description="Tokens of its responses.")
    token_budget: int | None = Field(default=None, description="Tokens that its workflow allows.")
    created_at: str
    updated_at: str


class RunsOutput(CompactModel):
    """Runs, the newest first."""

    runs: tuple[ListedRun, ...]
    next_offset: int | None = Field(default=None, description="Offset of the next page of older runs.")


def list_runs(given: RunsInput, context: Context) -> RunsOutput:
    """List the runs."""
    rows = context.project.memory.journal.runs(
        given.limit + 1, given.offset, given.workflow, status=given.status, text=given.text
    )
    more = len(rows) > given.limit
    return RunsOutput(
        runs=tuple(_describe_run(row) for row in rows[: given.limit]),
        next_offset=given.offset + given.limit if more else None,
    )


def _describe_run(row: RunRow) -> ListedRun:
    head = row.document
    return ListedRun(
        run=row.run,
        workflow=row.workflow,
        question=str(head.get("question", "")),
        status=str(head.get("status", "open")),
        phase=head.get("phase"),
        next=head.get("next"),
        steps=row.steps,
        tokens_used=head.get("tokens"),
        token_budget=head.get("budget"),
        created_at=row.created_at,
        updated_at=row.updated_at,
    )


TOOL = Tool(
    name="runs.list",
    title="List the runs",
    description=(
        "The newest runs of this project: the question, the workflow, the progress and the possible next phase of each."
    ),
    input=RunsInput,
    output=RunsOutput,
    run=list_runs,
    family="runs",
    risk="read",
    idempotent=True,
    timeout=30.0,
    phases=True,
    aliases=(Alias("list_stories"), Alias("aura_list_stories")),
    examples=(Example("The newest five", {"limit": 5}), Example("Open runs of a workflow", _OPEN)),
    mcp="aurora_runs_list",
    command=Command("runs list", "List the newest runs."),
)
