"""`mem.related`: chunks that the code graph links with a chunk."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from aurora import memory
from aurora.tools.core import Command, CompactModel, Example, Tool
from aurora.tools.graph import MinConfidence, PagedInput

if TYPE_CHECKING:
    from aurora.memory import Link, Node
    from aurora.tools.core import Context

_MAX_LINKS = 500


class RelatedInput(PagedInput):
    """Chunk, least confidence of a link, and page."""

    chunk: str = Field(min_length=1, max_length=500, description="A chunk's id, or a name in the graph.")
    min_confidence: MinConfidence = 0.3


class RelatedChunk(CompactModel):
    """Related chunk with the links that lead to it."""

    chunk: str
    path: str
    lines: str
    symbol: str = ""
    score: float = Field(description="Sum of the confidences of its links.")
    why: tuple[str, ...]


class RelatedOutput(CompactModel):
    """Related chunks, the most closely linked first."""

    chunk: str
    total: int
    related: tuple[RelatedChunk, ...]
    note: str = ""


def list_related(given: RelatedInput, context: Context) -> RelatedOutput:
    """List the chunks one link away from the definitions of a chunk.

    Raises:
        Fault: NOT_FOUND for a chunk that does not exist; CONFLICT for a name that may mean several definitions.
    """
    graph = context.project.memory.graph
    if ":" in given.chunk and context.project.memory.get((given.chunk,)):
        start = graph.find_in_chunk(given.chunk)
        if not start:
            return RelatedOutput(chunk=given.chunk, total=0, related=(), note="The graph has no node in this chunk.")
    else:
        start = (graph.find_one(given.chunk),)
    links_by_chunk: dict[str, tuple[Node, list[Link]]] = {}
    link_filter = memory.LinkFilter(least=given.min_confidence, limit=_MAX_LINKS)
    for node in start:
        for link in graph.list_neighbors(node, link_filter).links:
            chunk = graph.find_chunk(link.node)
            if chunk is not None and chunk != given.chunk:
                links_by_chunk.setdefault(chunk, (link.node, []))[1].append(link)
    related = [_to_related_chunk(chunk, node, links) for chunk, (node, links) in links_by_chunk.items()]
    related.sort(key=lambda row: (-row.score, row.chunk))
    return RelatedOutput(
        chunk=given.chunk,
        total=len(related),
        related=tuple(related[given.offset : given.offset + given.limit]),
        note="" if related else "No chunk is linked with it.",
    )


def _to_related_chunk(chunk: str, node: Node, links: list[Link]) -> RelatedChunk:
    why = dict.fromkeys(
        f"{link.kind} {'→' if link.outward else '←'} {link.path}:{link.line} ({link.how})" for link in links
    )
    return RelatedChunk(
        chunk=chunk,
        path=node.path,
        lines=node.lines,
        symbol=node.symbol,
        score=round(sum(link.confidence for link in links), 2),
        why=tuple(why)[:3],
    )


TOOL = Tool(
    name="mem.related",
    title="List related chunks",
    description=(
        "List the chunks that the code graph links with a chunk: what it calls and who calls it, what it imports, "
        "inherits or mentions, what contains it; the most closely linked first, each with its reason."
    ),
    input=RelatedInput,
    output=RelatedOutput,
    run=list_related,
    family="graph",
    risk="read",
    idempotent=True,
    timeout=30.0,
    phases=True,
    constraints=("It needs an index of the project.",),
    examples=(Example("Chunks related to a document", {"chunk": "README.md", "limit": 5}),),
    mcp="aurora_mem_related",
    command=Command("mem related", "List the chunks related to a chunk.", arguments=("chunk",)),
)
