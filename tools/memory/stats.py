"""mem.stats: what the memory holds, how big each part is, when it was last indexed, and how fresh it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from aurora.tools.core import Command, Example, StrictModel, Tool

if TYPE_CHECKING:
    from aurora.tools.core import Context


class StatsInput(StrictModel):
    """Nothing to say."""


class StatsOutput(StrictModel):
    """Counts by type and by language; sizes in bytes; times in ISO 8601, UTC."""

    path: str
    schema_version: int
    size_bytes: int
    files: int
    chunks: dict[str, int]
    languages: dict[str, int]
    vectors: int
    runs: int
    indexed_at: str | None
    root: str | None
    state: str = Field(description="Of the index: `complete`, `running` (or stopped), `outgrown`, `never`.")
    changed: int | None = Field(description="Files changed since; null when there is nothing to compare with.")
    new: int | None = Field(description="Files that came since.")
    gone: int | None = Field(description="Files that are gone since.")
    sizes: dict[str, int] = Field(description="Bytes by part: text, words, vectors, graph, journal, other, free, log.")
    accesses: int = Field(description="How often chunks were used, as far as it is kept.")
    used: int = Field(description="How many chunks were used.")


def read_stats(given: StatsInput, context: Context) -> StatsOutput:
    """Count what the memory holds."""
    from aurora.memory.maintenance import measure_maintenance  # noqa: PLC0415 - listing tools must not pay for SQLite

    del given  # the tool takes nothing
    memory = context.project.memory
    held = memory.stats()
    more = measure_maintenance(memory.store, context.root)
    return StatsOutput(
        path=held.path,
        schema_version=held.schema_version,
        size_bytes=held.size_bytes,
        files=held.files,
        chunks=dict(held.chunks),
        languages=dict(held.languages),
        vectors=held.vectors,
        runs=held.runs,
        indexed_at=held.indexed_at,
        root=held.root,
        state=more.state,
        changed=more.changed,
        new=more.new,
        gone=more.gone,
        sizes=dict(more.sizes),
        accesses=more.accesses,
        used=more.used,
    )


TOOL = Tool(
    name="mem.stats",
    title="What the memory holds",
    description=(
        "Counts of files, chunks by type, languages, vectors and runs; the size of each part; when it was last "
        "indexed, and how many files changed, came and went since."
    ),
    input=StatsInput,
    output=StatsOutput,
    run=read_stats,
    family="admin",
    risk="read",
    idempotent=True,
    timeout=30.0,
    examples=(Example("All of it", {}),),
    mcp="aurora_mem_stats",
    command=Command("mem stats", "Show the figures of the memory."),
)
