"""workflow.list: the workflows of a project, its own and the shipped ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from aurora.tools.core import Command, Example, StrictModel, Tool

if TYPE_CHECKING:
    from aurora.tools.core import Context


class ListInput(StrictModel):
    """Nothing to say."""


class WorkflowRow(StrictModel):
    """One workflow; `problems` counts the errors of its file, and one with errors does not run."""

    name: str
    version: str
    title: str
    source: Literal["project", "shipped", "file"]
    path: str
    phases: int
    problems: int


class ListOutput(StrictModel):
    """The workflows by name; a project's own stands for the shipped one that it replaces."""

    workflows: tuple[WorkflowRow, ...]


def list_workflows(given: ListInput, context: Context) -> ListOutput:
    """List them."""
    del given  # the tool takes nothing
    return ListOutput(
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
        )
    )


TOOL = Tool(
    name="workflow.list",
    title="List the workflows",
    description="The workflows of this project: its own and the shipped ones, with the number of errors in each.",
    input=ListInput,
    output=ListOutput,
    run=list_workflows,
    family="workflow",
    risk="read",
    idempotent=True,
    timeout=30.0,
    examples=(Example("All of them", {}),),
    mcp="aurora_workflow_list",
    command=Command("workflow list", "List the workflows of this project."),
)
