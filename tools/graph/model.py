"""What the tools of the graph have in common: how a definition and a link are shown, and how a name is looked up."""

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
    Field(ge=0, le=1, description="Only links at least this sure: 1 is resolved by scope or import, less is a guess."),
]
_MAX_LINE_LENGTH = 160


class PagedInput(StrictModel):
    """The fields of an input that is answered in pages."""

    limit: int = Field(default=20, ge=1, le=50, description="How many at most.")
    offset: int = Field(default=0, ge=0, description="How many of the first to pass over.")

    def find_next_offset(self, total: int) -> int | None:
        """The offset of the page after this one; None when there are no more than these."""
        seen = self.offset + self.limit
        return seen if seen < total else None


class PagedOutput(CompactModel):
    """The fields of an output that is one page of several."""

    id: str
    total: int
    next_offset: int | None = Field(default=None, description="Ask again with it for more.")


class NodeView(CompactModel):
    """A definition, a file, or a section of a document."""

    id: str
    kind: str
    lines: str
    language: str = ""


class LinkView(CompactModel):
    """A link, as it is seen from what was asked about."""

    kind: str
    direction: Literal["out", "in"]
    id: str = Field(description="The other end.")
    what: str = Field(default="", description="Its kind: function, class …")
    confidence: float
    how: str
    at: str = Field(description="Where it is written, path:line.")
    code: str = Field(default="", description="That line, as it was indexed.")


def to_node_view(node: Node) -> NodeView:
    """A node as it is shown."""
    return NodeView(id=node.id, kind=node.kind, lines=f"{node.start}-{node.end}", language=node.language)


def explain_missing_links(context: Context, node: Node) -> str:
    """What to say of a definition in a language whose files are not asked what they refer to; empty for others."""
    if context.project.memory.graph.is_linked(node):
        return ""
    return f"Links within {node.language} are not known, only its definitions: search for the name instead."


def to_link_views(context: Context, links: Iterable[Link]) -> tuple[LinkView, ...]:
    """Links as they are shown, each with the line that says so."""
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
