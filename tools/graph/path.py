"""graph.path: why two definitions are connected, link by link."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from aurora.tools.core.compact import Lean
from aurora.tools.core.declaration import Example, Strict, Tool

from .model import Kind, Least, Name, Place, Seen, place, seen

if TYPE_CHECKING:
    from aurora.tools.core.context import Context


class PathInput(Strict):
    """Between which two, and by which links."""

    start: Name
    end: Name
    kinds: tuple[Kind, ...] = Field(default=(), strict=False, description="Only these kinds of link.")
    min_confidence: Least = 0.5


class PathOutput(Lean):
    """The way, from the start to the end; each link leads to the next definition."""

    start: Place
    end: Place
    connected: bool
    links: tuple[Seen, ...] = ()
    note: str = ""


def path(given: PathInput, context: Context) -> PathOutput:
    """Find a shortest way through any number of links, whichever way they point.

    Raises:
        Fault: NOT_FOUND with near names; CONFLICT with the candidates when a name may mean several.
    """
    from aurora.memory import Filter  # noqa: PLC0415 - listing tools must not pay for the memory

    graph = context.project.memory.graph
    start, end = graph.one(given.start), graph.one(given.end)
    way = graph.path(start, end, Filter(given.kinds, "both", given.min_confidence))
    note = "" if way is not None else "No way leads there by these links; a lower min_confidence allows guesses."
    return PathOutput(
        start=place(start), end=place(end), connected=way is not None, links=seen(context, way or ()), note=note
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
    run=path,
    family="graph",
    risk="read",
    idempotent=True,
    timeout=60.0,
    aliases=("why_connected",),
    constraints=("It needs an index.",),
    examples=(Example("From a file to itself", {"start": "README.md", "end": "README.md"}),),
    mcp="aurora_graph_path",
    command=("graph", "path"),
)
