"""workflow.suggest: which workflow fits a task, how surely, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from aurora.faults import Fault
from aurora.tools.core import DEFAULT_WORKFLOW, Command, Example, StrictModel, Tool

from .matching import Candidate, rank_workflows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.interpreter import Workflow
    from aurora.tools.core import Context


class SuggestInput(StrictModel):
    """What somebody wants to do."""

    task: str = Field(min_length=1, max_length=8000, description="The task or question, in the person's words.")
    limit: int = Field(default=3, ge=1, le=20, description="How many workflows to name.")


class Suggestion(StrictModel):
    """A workflow that may fit.

    Attributes:
        confidence: 0 to 1, how much of the evidence speaks for this one; those of all workflows add up to 1.
        words: of the task's own words, those that the workflow speaks.
        nearest: what the workflow says it suits that lies nearest; empty when nothing does.
        start: the phase that it begins with.
    """

    workflow: str
    title: str
    confidence: float
    words: tuple[str, ...]
    nearest: str
    start: str


class SuggestOutput(StrictModel):
    """The workflows, best first; where nothing speaks for any, the one that is meant when none is named comes first."""

    suggestions: tuple[Suggestion, ...]
    certain: bool = Field(description="Whether the first is clearly ahead.")


CERTAIN_FROM = 0.5
"""The first is clearly ahead when more speaks for it than for all others together."""


def suggest_workflows(given: SuggestInput, context: Context) -> SuggestOutput:
    """Name the workflows that fit the task."""
    flows = {flow.name: flow for flow in _load_workflows(context)}
    order = sorted(flows, key=lambda name: (name != DEFAULT_WORKFLOW, name))
    candidates = [Candidate(name, flows[name].title, flows[name].description, flows[name].suits) for name in order]
    ranked = rank_workflows(given.task, candidates)
    return SuggestOutput(
        suggestions=tuple(
            Suggestion(
                workflow=one.name,
                title=flows[one.name].title,
                confidence=one.confidence,
                words=one.words,
                nearest=one.nearest,
                start=flows[one.name].start,
            )
            for one in ranked[: given.limit]
        ),
        certain=bool(ranked) and ranked[0].confidence > CERTAIN_FROM,
    )


def _load_workflows(context: Context) -> Iterator[Workflow]:
    catalog = context.project.workflows
    for name in catalog.list_names():
        try:
            yield catalog.load(name).workflow
        except Fault:
            continue  # what does not run is not suggested; `aur workflow validate` tells why


TOOL = Tool(
    name="workflow.suggest",
    title="Suggest a workflow",
    description=(
        "Which workflow fits a task, with a confidence and why: by the words that the workflows say they suit, and by "
        "what these mean."
    ),
    input=SuggestInput,
    output=SuggestOutput,
    run=suggest_workflows,
    family="workflow",
    risk="read",
    idempotent=True,
    timeout=30.0,
    aliases=("suggest_workflow",),
    examples=(Example("A defect", {"task": "The login page crashes on an empty password"}),),
    mcp="aurora_workflow_suggest",
    command=Command("workflow suggest", "Suggest the workflow that fits a task.", arguments=("task",)),
)
