"""`workflow.suggest`: workflows that fit a task, with confidences and reasons."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from aurora.faults import Fault
from aurora.tools.agents import find_agents
from aurora.tools.core import DEFAULT_WORKFLOW, Alias, Command, Example, StrictModel, Tool

from .matching import Candidate, RankedWorkflow, name_agents, rank_workflows

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from aurora.hosts import Agent
    from aurora.interpreter import Workflow
    from aurora.tools.core import Context, Project


class SuggestInput(StrictModel):
    """Task, and the number of suggestions."""

    task: str = Field(min_length=1, max_length=8000, description="The task or question, in the person's words.")
    limit: int = Field(default=3, ge=1, le=20, description="At most so many suggestions.")


class Suggestion(StrictModel):
    """Workflow that may fit the task.

    Attributes:
        confidence: 0 to 1; the confidences of all workflows add up to 1.
        words: words of the task that the workflow contains.
        nearest: the workflow's sentence with the nearest meaning; empty when there is none.
        start: first phase.
        phases: all phases, in the order of the file.
        agents: agents defined here whose descriptions share most words with the workflow's, at most five.
    """

    workflow: str
    title: str
    description: str
    confidence: float
    words: tuple[str, ...]
    nearest: str
    start: str
    phases: tuple[str, ...]
    agents: tuple[str, ...]


class SuggestOutput(StrictModel):
    """Suggestions, best first; without any evidence the default workflow is first."""

    suggestions: tuple[Suggestion, ...]
    certain: bool = Field(description="True when the first is clearly ahead.")


CERTAIN_FROM = 0.5
"""The first is clearly ahead when its confidence exceeds that of all others together."""


def suggest_workflows(given: SuggestInput, context: Context) -> SuggestOutput:
    """Suggest workflows for a task."""
    flows = {flow.name: flow for flow in _load_workflows(context.project)}
    ranked = _rank_workflows(given.task, flows)
    known = find_agents(context).agents
    return SuggestOutput(
        suggestions=tuple(_to_suggestion(one, flows[one.name], known) for one in ranked[: given.limit]),
        certain=bool(ranked) and ranked[0].confidence > CERTAIN_FROM,
    )


def rank_for_task(project: Project, task: str) -> list[RankedWorkflow]:
    """Rank all workflows of a project that run for a task, best first."""
    return _rank_workflows(task, {flow.name: flow for flow in _load_workflows(project)})


def _rank_workflows(task: str, flows: Mapping[str, Workflow]) -> list[RankedWorkflow]:
    order = sorted(flows, key=lambda name: (name != DEFAULT_WORKFLOW, name))
    candidates = [Candidate(name, flows[name].title, flows[name].description, flows[name].suits) for name in order]
    return rank_workflows(task, candidates)


def _to_suggestion(ranked: RankedWorkflow, flow: Workflow, agents: Sequence[Agent]) -> Suggestion:
    return Suggestion(
        workflow=ranked.name,
        title=flow.title,
        description=" ".join(flow.description.split()),
        confidence=ranked.confidence,
        words=ranked.words,
        nearest=ranked.nearest,
        start=flow.start,
        phases=tuple(flow.phases),
        agents=name_agents(flow, agents),
    )


def _load_workflows(project: Project) -> Iterator[Workflow]:
    catalog = project.workflows
    for name in catalog.list_names():
        try:
            yield catalog.load(name).workflow
        except Fault:
            continue  # a workflow that does not run is not suggested


TOOL = Tool(
    name="workflow.suggest",
    title="Suggest a workflow",
    description=(
        "Suggest workflows for a task, each with a confidence and the reasons: by the words of the workflows' "
        "descriptions, and by their meaning."
    ),
    input=SuggestInput,
    output=SuggestOutput,
    run=suggest_workflows,
    family="workflow",
    risk="read",
    idempotent=True,
    timeout=30.0,
    phases=True,
    aliases=(Alias("suggest_workflow", {"task_description": "task"}),),
    examples=(Example("A defect", {"task": "The login page crashes on an empty password"}),),
    mcp="aurora_workflow_suggest",
    command=Command(
        "workflow suggest", "Suggest the workflow that fits a task.", arguments=("task",), joins_words=True
    ),
)
