"""`workflow.list`, `show`, `graph` and `schema`: a project's workflows, and the language."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from aurora.errors import Code, Fault
from aurora.interpreter import diagram, drawing
from aurora.interpreter.language.json_schema import SCHEMA_FILE, SCHEMA_MODELINE, build_language_schema
from aurora.tools import trust
from aurora.tools.agents import find_agents
from aurora.tools.core import Alias, Command, CompactModel, Example, Json, StrictModel, Tool

from .files import resolve_targets
from .suggest import name_agents

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aurora.hosts import Agent
    from aurora.interpreter.catalog.catalog import WorkflowSummary
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
    allows: tuple[str, ...] | None = Field(default=None, description="What the host may do there; absent: everything.")
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
        allows=phase.describe_allowed(),
        inputs=tuple(inputs),
        next_action=tuple(ShownRule.from_value(rule, otherwise=rule.else_) for rule in phase.next_action),
    )


SHOW = Tool(
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


LIST = Tool(
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


class GraphInput(StrictModel):
    """Workflow to draw, and the format."""

    name: str = Field(default="soar", min_length=1, max_length=4096, description="A workflow's name, or its file.")
    format: Literal["mermaid", "dot", "svg", "html"] = Field(
        default="mermaid", description="Text for Mermaid or Graphviz, a drawing, or a page with the drawing."
    )


class GraphOutput(StrictModel):
    """Diagram as text, and the number of marked problems."""

    workflow: str
    format: Literal["mermaid", "dot", "svg", "html"]
    phases: int
    problems: int
    text: str


def draw_workflow(given: GraphInput, context: Context) -> GraphOutput:
    """Draw a workflow, also one with errors.

    Raises:
        Fault: NOT_FOUND for an unknown name, FORBIDDEN for a file outside the project, INVALID_INPUT when too little
            of the file can be read to draw it, or when a folder contains several.
    """
    found = resolve_targets((given.name,), context)
    if len(found) != 1:
        raise Fault(
            Code.INVALID_INPUT, f'"{given.name}" contains {len(found)} workflows', help="Name the file of one of them."
        )
    label, target = found[0]
    # Also with errors: the drawing marks them where they are.
    definition, problems = context.project.workflows.load_partial(target)
    if definition is None:
        raise Fault(
            Code.INVALID_INPUT,
            f'too little of "{PurePath(label).name}" is readable to draw it',
            help=f"run `aur workflow validate {label}` for its problems",
            details={"problems": [problem.heading for problem in problems[:20]]},
        )
    drawn = diagram.build_diagram(definition, problems)
    renderers = {
        "mermaid": diagram.render_mermaid,
        "dot": diagram.render_dot,
        "svg": drawing.render_svg,
        "html": drawing.render_html,
    }
    return GraphOutput(
        workflow=label,
        format=given.format,
        phases=len(drawn.nodes),
        problems=len(problems),
        text=renderers[given.format](drawn),
    )


GRAPH = Tool(
    name="workflow.graph",
    title="Draw a workflow",
    description="Draw a workflow: phases, rules, bounds and error routes, with problems marked.",
    input=GraphInput,
    output=GraphOutput,
    run=draw_workflow,
    family="workflow",
    risk="read",
    idempotent=True,
    timeout=30.0,
    examples=(Example("As text for Mermaid", {"name": "soar"}),),
    mcp="aurora_workflow_graph",
    command=Command("workflow graph", "Draw the graph of a workflow.", arguments=("name",), files=("name",)),
)


class SchemaInput(StrictModel):
    """No input."""


class SchemaOutput(StrictModel):
    """JSON Schema, its file name, and the line with which a workflow refers to it."""

    file: str
    line: str
    document: dict[str, Json] = Field(description="The JSON Schema, draft 7.")


def show_schema(given: SchemaInput, context: Context) -> SchemaOutput:
    """Return the schema."""
    del given, context  # the schema is the same in every project
    return SchemaOutput(file=SCHEMA_FILE, line=SCHEMA_MODELINE, document=build_language_schema())


SCHEMA = Tool(
    name="workflow.schema",
    title="Show the workflow schema",
    description=(
        "Return the JSON Schema of the workflow language, with which an editor completes, explains and checks. "
        "Workflows name it in their first line; `aur workflow new` writes it next to them."
    ),
    input=SchemaInput,
    output=SchemaOutput,
    run=show_schema,
    family="workflow",
    risk="read",
    idempotent=True,
    timeout=10.0,
    examples=(Example("The schema", {}),),
    command=Command("workflow schema", "Print the JSON Schema of the workflow language."),
)

TOOLS = (LIST, SHOW, GRAPH, SCHEMA)
