"""Models that the graph tools share: nodes, links and pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from aurora.tools.core import CompactModel, StrictModel

if TYPE_CHECKING:
    from collections.abc import Iterable

    from aurora.memory import Link, Node
    from aurora.tools.core import Context

LinkKind = Literal["calls", "imports", "inherits", "implements", "mentions", "contains"]

NodeName = Annotated[
    str,
    Field(
        min_length=1,
        max_length=500,
        description='A name, "Class.method", "path:line", a path, or the id of a chunk or a node ("path::Name").',
    ),
]
MinConfidence = Annotated[
    float,
    Field(ge=0, le=1, description="Minimum confidence of links: 1 is resolved by scope or import, less is a guess."),
]
_MAX_LINE_LENGTH = 160


class PagedInput(StrictModel):
    """Fields of an input with pages."""

    limit: int = Field(default=20, ge=1, le=50, description="Maximum number of results.")
    offset: int = Field(default=0, ge=0, description="Number of results to skip.")

    def find_next_offset(self, total: int) -> int | None:
        """Return the offset of the next page, or None on the last page."""
        end = self.offset + self.limit
        return end if end < total else None


class PagedOutput(CompactModel):
    """Fields of an output that is one of several pages."""

    id: str
    total: int
    next_offset: int | None = Field(default=None, description="Offset of the next page.")


class NodeView(CompactModel):
    """Definition, file, or section of a document."""

    id: str
    kind: str
    lines: str
    language: str = ""


class LinkView(CompactModel):
    """Link, as seen from the requested definition."""

    kind: str
    direction: Literal["out", "in"]
    id: str = Field(description="Id of the other end.")
    what: str = Field(default="", description="Kind of the other end: function, class …")
    confidence: float
    how: str
    at: str = Field(description="Place of the link, path:line.")
    code: str = Field(default="", description="Indexed text of that line.")


def explain_missing_links(context: Context, node: Node) -> str:
    """Return a note for a definition in a language without links; empty for other languages."""
    if context.project.memory.graph.is_linked(node):
        return ""
    return f"Links in {node.language} are not indexed, only definitions: search for the name instead."


def to_link_views(context: Context, links: Iterable[Link]) -> tuple[LinkView, ...]:
    """Return links as outputs, each with its line of code."""
    graph = context.project.memory.graph
    return tuple(
        LinkView(
            kind=link.kind,
            direction="out" if link.outward else "in",
            id=link.node.id,
            what=link.node.kind,
            confidence=round(link.confidence, 2),
            how=link.how,
            at=f"{link.path}:{link.line}",
            code=graph.read_line(link.path, link.line)[:_MAX_LINE_LENGTH],
        )
        for link in links
    )
