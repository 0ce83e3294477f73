"""workflow.graph: a picture of a workflow, with what is wrong in it marked."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from aurora.faults import Code, Fault
from aurora.tools.core import Command, Example, StrictModel, Tool

from .files import resolve_targets

if TYPE_CHECKING:
    from aurora.tools.core import Context


class GraphInput(StrictModel):
    """Which workflow, and how it is drawn."""

    name: str = Field(default="soar", min_length=1, max_length=4096, description="A workflow's name, or its file.")
    format: Literal["mermaid", "dot", "svg", "html"] = Field(
        default="mermaid", description="Text for Mermaid or Graphviz, a drawing, or a page with the drawing."
    )


class GraphOutput(StrictModel):
    """The picture as text, and how many problems are marked in it."""

    workflow: str
    format: Literal["mermaid", "dot", "svg", "html"]
    phases: int
    problems: int
    text: str


def draw_workflow(given: GraphInput, context: Context) -> GraphOutput:
    """Draw a workflow, be it broken, as far as it can be read.

    Raises:
        Fault: NOT_FOUND for an unknown name, FORBIDDEN for a file outside the project, INVALID_INPUT when too little
            of the file can be read to draw it, or when a folder holds several.
    """
    from aurora.interpreter import diagram as graphing  # noqa: PLC0415 - a server's start does not need it

    found = resolve_targets((given.name,), context)
    if len(found) != 1:
        raise Fault(
            Code.INVALID_INPUT, f'"{given.name}" holds {len(found)} workflows', help="Name the file of one of them."
        )
    called, asked = found[0]
    definition, problems = context.project.workflows.load_partial(asked)
    if definition is None:
        raise Fault(
            Code.INVALID_INPUT,
            f'too little of "{PurePath(called).name}" can be read to draw it',
            help=f"`aur workflow validate {called}` shows what is wrong.",
            details={"problems": [problem.heading for problem in problems[:20]]},
        )
    drawn = graphing.build_diagram(definition, problems)
    draw = {
        "mermaid": graphing.render_mermaid,
        "dot": graphing.render_dot,
        "svg": graphing.render_svg,
        "html": graphing.render_html,
    }
    return GraphOutput(
        workflow=called,
        format=given.format,
        phases=len(drawn.nodes),
        problems=len(problems),
        text=draw[given.format](drawn),
    )


TOOL = Tool(
    name="workflow.graph",
    title="Draw a workflow",
    description="A picture of a workflow: phases, rules, bounds and ways after failures, with problems marked.",
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
