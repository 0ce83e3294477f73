"""`workflow.list`: workflows of a project and shipped ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from aurora.tools import trust
from aurora.tools.agents import find_agents
from aurora.tools.core import Alias, Command, CompactModel, Example, StrictModel, Tool

from .suggest import name_agents

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aurora.hosts import Agent
    from aurora.interpreter.catalog.catalog import WorkflowSummary
    from aurora.tools.core import Context


class ListInput(StrictModel):
    """No input."""


class WorkflowRow(StrictModel):
    """Workflow; `problems` counts the errors of its file, which keep it from running.

    Attributes:
        description: what it does; empty for a file with errors, as are the next two.
        phase_names: its phases, in the order of the file.
        agents: agents defined here whose descriptions share most words with the workflow's, at most five.
    """

    name: str
    version: str
    title: str
    source: Literal["project", "shipped", "file"]
    path: str
    phases: int
    problems: int
    description: str = ""
    phase_names: tuple[str, ...] = ()
    agents: tuple[str, ...] = ()


class ListOutput(CompactModel):
    """Workflows by name; a trusted project's own replaces the shipped one of its name."""

    workflows: tuple[WorkflowRow, ...]
    left_out: int = Field(default=0, description="Workflow files past the limits of a project, which are not used.")
    unused: tuple[str, ...] = Field(default=(), description="Files of the project's own, while it is not trusted.")
    notice: str = Field(default="", description="The reason, and what to do.")


def list_workflows(given: ListInput, context: Context) -> ListOutput:
    """List the workflows."""
    del given  # the tool has no input
    known = find_agents(context).agents
    return ListOutput(
        unused=trust.survey_unused(context.project).workflows,
        notice=trust.build_notice(context.project),
        workflows=tuple(_to_row(one, known) for one in context.project.workflows.list_summaries()),
        left_out=context.project.workflows.count_left_out(),
    )


def _to_row(summary: WorkflowSummary, agents: Sequence[Agent]) -> WorkflowRow:
    flow = summary.workflow
    return WorkflowRow.from_value(
        summary,
        description=" ".join(flow.description.split()) if flow else "",
        phase_names=tuple(flow.phases) if flow else (),
        agents=name_agents(flow, agents) if flow else (),
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
    aliases=(Alias("list_available_triads"),),
    examples=(Example("All of them", {}),),
    mcp="aurora_workflow_list",
    command=Command("workflow list", "List the workflows of this project."),
)
