"""mem.stats: what the memory holds, how big it is, and when it was last indexed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .declaration import Example, Strict, Tool

if TYPE_CHECKING:
    from .context import Context


class StatsInput(Strict):
    """Nothing to say."""


class StatsOutput(Strict):
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


def stats(given: StatsInput, context: Context) -> StatsOutput:
    """Count what the memory holds."""
    del given  # the tool takes nothing
    held = context.workspace.memory.stats()
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
    )


TOOL = Tool(
    name="mem.stats",
    title="What the memory holds",
    description="Counts of files, chunks by type, languages, vectors and runs; the size; when it was last indexed.",
    input=StatsInput,
    output=StatsOutput,
    run=stats,
    family="memory",
    risk="read",
    idempotent=True,
    timeout=30.0,
    examples=(Example("All of it", {}),),
    mcp="aurora_mem_stats",
    command=("mem", "stats"),
)
