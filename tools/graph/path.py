"""graph.path: why two definitions are connected, link by link."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from aurora.tools.core import Command, CompactModel, Example, StrictModel, Tool

from .model import LinkKind, LinkView, MinConfidence, NodeName, NodeView, to_link_views, to_node_view

if TYPE_CHECKING:
    from aurora.tools.core import Context


class PathInput(StrictModel):
    """Between which two, and by which links."""

    start: NodeName
    end: NodeName
    kinds: tuple[LinkKind, ...] = Field(default=(), strict=False, description="Only these kinds of link.")
    min_confidence: MinConfidence = 0.5


class PathOutput(CompactModel):
    """The way, from the start to the end; each link leads to the next definition."""

    start: NodeView
    end: NodeView
    connected: bool
    links: tuple[LinkView, ...] = ()
    note: str = ""


def find_path(given: PathInput, context: Context) -> PathOutput:
    """Find a shortest way through any number of links, whichever way they point.

    Raises:
        Fault: NOT_FOUND with near names; CONFLICT with the candidates when a name may mean several.
    """
    from aurora.memory import LinkFilter  # noqa: PLC0415 - listing tools must not pay for the memory

    graph = context.project.memory.graph
    start, end = graph.find_one(given.start), graph.find_one(given.end)
    way = graph.find_path(start, end, LinkFilter(given.kinds, "both", given.min_confidence))
    note = "" if way is not None else "No way leads there by these links; a lower min_confidence allows guesses."
    return PathOutput(
        start=to_node_view(start),
        end=to_node_view(end),
        connected=way is not None,
        links=to_link_views(context, way or ()),
        note=note,
    )


TOOL = Tool(
    name="graph.path",
    title="Why two definitions are connected",
    description=(
        "Find a shortest way between two definitions through any number of links, with the line that says so for "
        "each; direction tells whether the link points along the way (out) or against it (in)."
    ),
    input=PathInput,
    output=PathOutput,
    run=find_path,
    family="graph",
    risk="read",
    idempotent=True,
    timeout=60.0,
    aliases=("why_connected",),
    constraints=("It needs an index.",),
    examples=(Example("From a file to itself", {"start": "README.md", "end": "README.md"}),),
    mcp="aurora_graph_path",
    command=Command("graph path", "Find the path of links between two definitions.", arguments=("start", "end")),
)
