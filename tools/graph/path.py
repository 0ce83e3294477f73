"""Tool `graph.path`: the shortest path between two definitions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from aurora import memory
from aurora.tools.core import Alias, Command, CompactModel, Example, StrictModel, Tool

from .model import LinkKind, LinkView, MinConfidence, NodeName, NodeView, to_link_views

if TYPE_CHECKING:
    from aurora.tools.core import Context


class PathInput(StrictModel):
    """Start and end of the path, and the kinds of links."""

    start: NodeName
    end: NodeName
    kinds: tuple[LinkKind, ...] = Field(default=(), strict=False, description="Only these kinds of link.")
    min_confidence: MinConfidence = 0.5


class PathOutput(CompactModel):
    """Path from the start to the end; each link leads to the next definition."""

    start: NodeView
    end: NodeView
    connected: bool
    links: tuple[LinkView, ...] = ()
    note: str = ""


def find_path(given: PathInput, context: Context) -> PathOutput:
    """Find a shortest path through links of any direction.

    Raises:
        Fault: NOT_FOUND with similar names; CONFLICT with the candidates for an ambiguous name.
    """
    graph = context.project.memory.graph
    start, end = graph.find_one(given.start), graph.find_one(given.end)
    links = graph.find_path(start, end, memory.LinkFilter(given.kinds, "both", given.min_confidence))
    note = "" if links is not None else "No path has only these links; a lower min_confidence includes guesses."
    return PathOutput(
        start=NodeView.from_value(start),
        end=NodeView.from_value(end),
        connected=links is not None,
        links=to_link_views(context, links or ()),
        note=note,
    )


TOOL = Tool(
    name="graph.path",
    title="Path between two definitions",
    description=(
        "Find a shortest path between two definitions through any number of links, with the line of code of each; "
        "direction is out for a link along the path and in for one against it."
    ),
    input=PathInput,
    output=PathOutput,
    run=find_path,
    family="graph",
    risk="read",
    idempotent=True,
    timeout=60.0,
    phases=True,
    aliases=(Alias("ag_why_connected"), Alias("why_connected")),
    constraints=("It needs an index: index the project first.",),
    examples=(Example("From a file to itself", {"start": "README.md", "end": "README.md"}),),
    mcp="aurora_graph_path",
    command=Command(
        "graph path",
        "Find the path of links between two definitions.",
        arguments=("start", "end"),
        places=("start", "end"),
    ),
)
