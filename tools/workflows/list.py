"""`workflow.list`: workflows of a project and shipped ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from aurora.tools import trust
from aurora.tools.core import Command, CompactModel, Example, StrictModel, Tool

if TYPE_CHECKING:
    from aurora.tools.core import Context


class ListInput(StrictModel):
    """No input."""


class WorkflowRow(StrictModel):
    """Workflow; `problems` counts the errors of its file, which keep it from running."""

    name: str
    version: str
    title: str
    source: Literal["project", "shipped", "file"]
    path: str
    phases: int
    problems: int


class ListOutput(CompactModel):
    """Workflows by name; a trusted project's own replaces the shipped one of its name."""

    workflows: tuple[WorkflowRow, ...]
    left_out: int = Field(default=0, description="Workflow files past the limits of a project, which are not used.")
    unused: tuple[str, ...] = Field(default=(), description="Files of the project's own, while it is not trusted.")
    notice: str = Field(default="", description="The reason, and what to do.")


def list_workflows(given: ListInput, context: Context) -> ListOutput:
    """List the workflows."""
    del given  # the tool has no input
    return ListOutput(
        unused=trust.survey_untrusted(context.project).workflows,
        notice=trust.build_notice(context.project),
        workflows=tuple(
            WorkflowRow(
                name=one.name,
                version=one.version,
                title=one.title,
                source=one.source,
                path=one.path,
                phases=one.phases,
                problems=one.problems,
            )
            for one in context.project.workflows.list_summaries()
        ),
        left_out=context.project.workflows.count_left_out(),
    )


TOOL = Tool(
    name="workflow.list",
    title="List the workflows",
    description="List the workflows of this project and the shipped ones, with the number of errors in each.",
    input=ListInput,
    output=ListOutput,
    run=list_workflows,
    family="workflow",
    risk="read",
    idempotent=True,
    timeout=30.0,
    phases=True,
    examples=(Example("All of them", {}),),
    mcp="aurora_workflow_list",
    command=Command("workflow list", "List the workflows of this project."),
)
