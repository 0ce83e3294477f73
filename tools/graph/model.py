"""What the tools of the graph have in common: how a definition and a link are shown, and how a name is looked up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from aurora.tools.core.compact import Lean
from aurora.tools.core.declaration import Strict

if TYPE_CHECKING:
    from collections.abc import Iterable

    from aurora.memory import Link, Node
    from aurora.tools.core.context import Context

Kind = Literal["calls", "imports", "inherits", "implements", "mentions", "contains"]

Name = Annotated[
    str,
    Field(
        min_length=1,
        max_length=500,
        description='A name, "Class.method", "path:line", a path, or the id of a chunk or a node ("path::Name").',
    ),
]
Least = Annotated[
    float,
    Field(ge=0, le=1, description="Only links at least this sure: 1 is resolved by scope or import, less is a guess."),
]
_LINE = 160


class Paged(Strict):
    """The fields of an input that is answered in pages."""

    limit: int = Field(default=20, ge=1, le=50, description="How many at most.")
    offset: int = Field(default=0, ge=0, description="How many of the first to pass over.")

    def next_of(self, total: int) -> int | None:
        """The offset of the page after this one; None when there are no more than these."""
        seen = self.offset + self.limit
        return seen if seen < total else None


class Page(Lean):
    """The fields of an output that is one page of several."""

    id: str
    total: int
    next_offset: int | None = Field(default=None, description="Ask again with it for more.")


class Place(Lean):
    """A definition, a file, or a section of a document."""

    id: str
    kind: str
    lines: str
    language: str = ""


class Seen(Lean):
    """A link, as it is seen from what was asked about."""

    kind: str
    direction: Literal["out", "in"]
    id: str = Field(description="The other end.")
    what: str = Field(default="", description="Its kind: function, class …")
    confidence: float
    how: str
    at: str = Field(description="Where it is written, path:line.")
    code: str = Field(default="", description="That line, as it was indexed.")


def place(node: Node) -> Place:
    """A node as it is shown."""
    return Place(id=node.id, kind=node.kind, lines=f"{node.start}-{node.end}", language=node.language)


def unlinked(context: Context, node: Node) -> str:
    """What to say of a definition in a language whose files are not asked what they refer to; empty for others."""
    if context.project.memory.graph.is_linked(node):
        return ""
    return f"Links within {node.language} are not known, only its definitions: search for the name instead."


def seen(context: Context, links: Iterable[Link]) -> tuple[Seen, ...]:
    """Links as they are shown, each with the line that says so."""
    graph = context.project.memory.graph
    return tuple(
        Seen(
            kind=link.kind,
            direction="out" if link.outward else "in",
            id=link.node.id,
            what=link.node.kind,
            confidence=round(link.confidence, 2),
            how=link.how,
            at=f"{link.path}:{link.line}",
            code=graph.line(link.path, link.line)[:_LINE],
        )
        for link in links
    )
