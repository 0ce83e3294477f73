"""mem.related: the chunks that the code graph links with one chunk."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from aurora.tools.core import Command, CompactModel, Example, Tool
from aurora.tools.graph import MinConfidence, PagedInput

if TYPE_CHECKING:
    from aurora.memory import Link, Node
    from aurora.tools.core import Context

_MAX_LINKS = 500


class RelatedInput(PagedInput):
    """Which chunk."""

    chunk: str = Field(min_length=1, max_length=500, description="A chunk's id, or any name that the graph knows.")
    min_confidence: MinConfidence = 0.3


class RelatedChunk(CompactModel):
    """A chunk, and why it is there."""

    chunk: str
    path: str
    lines: str
    symbol: str = ""
    score: float = Field(description="How sure its links are, together.")
    why: tuple[str, ...]


class RelatedOutput(CompactModel):
    """The chunks that have most to do with it, first."""

    chunk: str
    total: int
    related: tuple[RelatedChunk, ...]
    note: str = ""


def list_related(given: RelatedInput, context: Context) -> RelatedOutput:
    """Follow the links of all that a chunk defines, one step.

    Raises:
        Fault: NOT_FOUND for a chunk that does not exist; CONFLICT for a name that may mean several definitions.
    """
    from aurora.memory import LinkFilter  # noqa: PLC0415 - listing tools must not pay for the memory

    memory = context.project.memory
    if ":" in given.chunk and memory.get((given.chunk,)):
        start = memory.graph.find_in_chunk(given.chunk)
        if not start:
            return RelatedOutput(chunk=given.chunk, total=0, related=(), note="The graph holds nothing of this chunk.")
    else:
        start = (memory.graph.find_one(given.chunk),)
    found: dict[str, tuple[Node, list[Link]]] = {}
    for node in start:
        for link in memory.graph.list_neighbors(node, LinkFilter(least=given.min_confidence, limit=_MAX_LINKS)).links:
            chunk = memory.graph.find_chunk(link.node)
            if chunk is not None and chunk != given.chunk:
                found.setdefault(chunk, (link.node, []))[1].append(link)
    ranked = sorted(found.items(), key=lambda one: (-sum(link.confidence for link in one[1][1]), one[0]))
    page = ranked[given.offset : given.offset + given.limit]
    return RelatedOutput(
        chunk=given.chunk,
        total=len(ranked),
        related=tuple(_to_related_chunk(chunk, node, links) for chunk, (node, links) in page),
        note="" if ranked else "Nothing is linked with it.",
    )


def _to_related_chunk(chunk: str, node: Node, links: list[Link]) -> RelatedChunk:
    why = dict.fromkeys(
        f"{link.kind} {'→' if link.outward else '←'} {link.path}:{link.line} ({link.how})" for link in links
    )
    return RelatedChunk(
        chunk=chunk,
        path=node.path,
        lines=f"{node.start}-{node.end}",
        symbol=node.symbol,
        score=round(sum(link.confidence for link in links), 2),
        why=tuple(why)[:3],
    )


TOOL = Tool(
    name="mem.related",
    title="What has to do with a chunk",
    description=(
        "List the chunks that the code graph links with a chunk: what it calls and who calls it, what it imports, "
        "inherits or mentions, what holds it; the most closely linked first, each with its reason."
    ),
    input=RelatedInput,
    output=RelatedOutput,
    run=list_related,
    family="graph",
    risk="read",
    idempotent=True,
    timeout=30.0,
    constraints=("It needs an index.",),
    examples=(Example("What has to do with a document", {"chunk": "README.md", "limit": 5}),),
    mcp="aurora_mem_related",
    command=Command("mem related", "List the chunks related to a chunk.", arguments=("chunk",)),
)
