"""`workflow.graph`: diagram of a workflow with its problems marked."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from aurora.faults import Code, Fault
from aurora.interpreter import diagram, drawing
from aurora.tools.core import Command, Example, StrictModel, Tool

from .files import resolve_targets

if TYPE_CHECKING:
    from aurora.tools.core import Context


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


TOOL = Tool(
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
