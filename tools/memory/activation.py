"""`mem.activation`: most active chunks by ACT-R; search does not rank by it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from pydantic import Field

from aurora.faults import Code, Fault, quote_names
from aurora.tools.core import Command, CompactModel, Example, Tool
from aurora.tools.graph import PagedInput

if TYPE_CHECKING:
    from aurora.memory.analysis import ChunkActivation
    from aurora.tools.core import Context

_MAX_NAMED = 5


class ActivationInput(PagedInput):
    """Focus chunks and the page of the result."""

    chunks: tuple[str, ...] = Field(
        default=(),
        max_length=50,
        description="Ids of the chunks from which activation spreads; by default those used last.",
    )


class ActiveChunk(CompactModel):
    """Chunk with its activation now."""

    id: str
    path: str | None = None
    lines: str | None = None
    symbol: str = ""
    activation: float = Field(description="Base level plus spreading activation.")
    base: float = Field(description="ln Σ age^-0.5 over the seconds since it was written and since each use.")
    spread: float = Field(description="Spread from the focus over the links of the code graph.")
    uses: int = Field(description="How often a call brought it to a model, of the latest 50 times.")
    last_used: str | None = Field(default=None, description="ISO 8601, UTC.")


class ActivationOutput(CompactModel):
    """Focus and chunks, the most active first."""

    focus: tuple[str, ...]
    chunks: tuple[ActiveChunk, ...]
    note: str = ""


def list_active_chunks(given: ActivationInput, context: Context) -> ActivationOutput:
    """List the most active chunks.

    Raises:
        Fault: NOT_FOUND for a chunk that does not exist.
    """
    memory = context.project.memory
    missing = memory.find_missing(given.chunks)
    heirs = memory.map_merged_ids(missing) if missing else {}
    if missing := tuple(id_ for id_ in missing if id_ not in heirs):
        raise Fault(
            Code.NOT_FOUND,
            f"there is no chunk {quote_names(missing[:_MAX_NAMED])}",
            help="take ids from a search of the memory",
            details={"missing": list(missing)},
        )
    found, focus = memory.rank_active_chunks(
        tuple(heirs.get(id_, id_) for id_ in given.chunks), first=given.offset + given.limit
    )
    note = "" if found else f"The memory is empty: {context.project.index_step}."
    return ActivationOutput(focus=focus, chunks=tuple(map(_to_active_chunk, found[given.offset :])), note=note)


def _to_active_chunk(one: ChunkActivation) -> ActiveChunk:
    last = datetime.fromtimestamp(one.last, UTC).isoformat(timespec="seconds") if one.last is not None else None
    return ActiveChunk(
        id=one.id,
        path=one.path,
        lines=f"{one.start_line}-{one.end_line}" if one.path else None,
        symbol=one.symbol,
        activation=round(one.total, 3),
        base=round(one.base, 3),
        spread=round(one.spread, 3),
        uses=one.uses,
        last_used=last,
    )


TOOL = Tool(
    name="mem.activation",
    title="List the most active chunks",
    description=(
        "List the chunks that are most active by ACT-R: written or used recently and often, or linked with the focus. "
        "Search does not rank by it."
    ),
    input=ActivationInput,
    output=ActivationOutput,
    run=list_active_chunks,
    family="knowledge",
    risk="read",
    idempotent=True,
    timeout=30.0,
    phases=True,
    examples=(Example("The chunks written or used last", {"limit": 3}),),
    mcp="aurora_mem_activation",
    command=Command("mem activation", "List the most active chunks.", arguments=("chunks",), is_listed=False),
)
