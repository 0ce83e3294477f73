"""`workflow.show`: phases, inputs and rules of a workflow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from aurora.tools.core import Command, CompactModel, Example, StrictModel, Tool

if TYPE_CHECKING:
    from aurora.interpreter.language.model import Phase
    from aurora.tools.core import Context


class ShowInput(StrictModel):
    """Workflow to show."""

    name: str = Field(default="soar", min_length=1, max_length=80, description="The workflow's name.")


class ShownInput(CompactModel):
    """Input of a phase."""

    name: str
    required: bool = Field(default=False, description="The caller must pass it when the run has no value.")
    recalled_from: str | None = Field(default=None, description="JMESPath of its value in the run.")


class ShownRule(CompactModel):
    """Rule of `next_action`; without `when` it always applies."""

    when: str | None = None
    then: str
    max: int | None = None
    otherwise: str | None = Field(default=None, description="Next phase once `max` is used up.")
    early_exit: bool = False


class ShownPhase(CompactModel):
    """Phase: its tool, its question to the host, and its rules."""

    name: str
    title: str = ""
    aliases: tuple[str, ...] = ()
    when: str | None = Field(default=None, description="Expression; where it is false, the phase is skipped.")
    uses: str | None = None
    workflow: str | None = Field(default=None, description="Workflow that runs as this phase.")
    each: str | None = Field(default=None, description="The list of which each item is taken.")
    limit: str | None = Field(default=None, description="Items of a longer list, and where it leads.")
    asks: str | None = Field(default=None, description="`an answer`, or `an answer per item`; absent without a prompt.")
    branches: tuple[str, ...] = Field(default=(), description="Names of the prompts that are handed out at once.")
    person: str | None = Field(default=None, description="What only the person can answer.")
    form: tuple[str, ...] = Field(default=(), description="Fields of the person's answer.")
    on_decline: str | None = Field(default=None, description="The target when the person declines.")
    inputs: tuple[ShownInput, ...] = ()
    returns: tuple[str, ...] | None = Field(
        default=None, description="Fields of its result in a response; all if absent."
    )
    next_action: tuple[ShownRule, ...]
    on_error: str | None = None


class ShowOutput(CompactModel):
    """Workflow with its phases."""

    name: str
    version: str
    title: str = ""
    description: str = ""
    path: str
    source: str
    start: str
    pace: str = Field(
        default="phase", description="`phase`: a call runs one phase; `prompt`: all up to the next prompt."
    )
    on_error: str | None = None
    token_budget: int | None = Field(default=None, description="Tokens that the responses of one run may have.")
    phases: tuple[ShownPhase, ...]


def show_workflow(given: ShowInput, context: Context) -> ShowOutput:
    """Show a workflow.

    Raises:
        Fault: NOT_FOUND for an unknown name, INVALID_INPUT when its file cannot be read as a workflow.
    """
    definition = context.project.workflows.open(given.name)
    flow = definition.workflow
    return ShowOutput.from_value(
        flow,
        path=str(definition.path),
        source=definition.source,
        token_budget=flow.budget.tokens if flow.budget else None,
        phases=tuple(_to_shown_phase(name, phase) for name, phase in flow.phases.items()),
    )


def _to_shown_phase(name: str, phase: Phase) -> ShownPhase:
    asks, each = None, phase.for_each
    if phase.prompt_template is not None:
        asks = f"an answer per item of {each.in_}" if each else "an answer"
    inputs = [
        ShownInput(name=key, required=not (spec.optional or spec.has_default), recalled_from=spec.from_)
        for key, spec in phase.inputs.items()
    ]
    return ShownPhase.from_value(
        phase,
        name=name,
        each=each.in_ if each else None,
        limit=f"more than {each.limit:,} lead to {each.else_ or 'end'}" if each and each.limit else None,
        asks=asks,
        branches=tuple(phase.branches or ()),
        person=phase.person.message if phase.person else None,
        form=tuple(phase.person.form) if phase.person else (),
        on_decline=phase.person.on_decline if phase.person else None,
        inputs=tuple(inputs),
        next_action=tuple(ShownRule.from_value(rule, otherwise=rule.else_) for rule in phase.next_action),
    )


TOOL = Tool(
    name="workflow.show",
    title="Show a workflow",
    description="Show a workflow: its phases with their inputs, tools and prompts, and the rules between them.",
    input=ShowInput,
    output=ShowOutput,
    run=show_workflow,
    family="workflow",
    risk="read",
    idempotent=True,
    timeout=30.0,
    phases=True,
    examples=(Example("The shipped workflow", {"name": "soar"}),),
    mcp="aurora_workflow_show",
    command=Command("workflow show", "Show one workflow: its phases and transitions.", arguments=("name",)),
)
