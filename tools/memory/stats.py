"""`mem.stats`: counts, sizes and freshness of the memory."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from pydantic import Field

from aurora.memory import maintenance
from aurora.memory.indexing.views import list_views
from aurora.tools.core import Command, Example, StrictModel, Tool

from .hits import SkippedFile

if TYPE_CHECKING:
    from aurora.memory.indexing.views import View
    from aurora.tools.core import Context


class StatsInput(StrictModel):
    """Further lists."""

    left_out: bool = Field(default=False, description="List the files that are not indexed, with the reasons.")
    limit: int = Field(default=200, ge=1, le=100_000, description="Most files of that list; all are counted.")


class ViewRow(StrictModel):
    """Index of a linked worktree; size in bytes."""

    name: str = Field(description="Git's name for the worktree.")
    root: str = Field(description="The worktree; empty before its first indexing.")
    branch: str
    commit: str
    state: str = Field(description="As `state`, or `unreadable`.")
    files: int
    size_bytes: int
    exists: bool = Field(description="False when the worktree is gone; the next start of a view removes its index.")


class StatsOutput(StrictModel):
    """Counts by type and language; sizes in bytes; times in ISO 8601, UTC."""

    path: str
    schema_version: int
    size_bytes: int
    files: int
    chunks: dict[str, int]
    languages: dict[str, int]
    vectors: int
    runs: int
    indexed_at: str | None
    commit: str = Field(default="", description="Commit of the last indexing of the whole tree; empty without git.")
    branch: str = Field(default="", description="Branch at that time; empty without one.")
    root: str | None
    state: str = Field(description="Of the index: `complete`, `partial`, `running`, `stopped`, `never`.")
    changed: int | None = Field(description="Files changed since the last indexing; null when they cannot be compared.")
    new: int | None = Field(description="Files added since.")
    gone: int | None = Field(description="Files deleted since.")
    sizes: dict[str, int] = Field(description="Bytes by part: text, words, vectors, graph, journal, other, free, log.")
    accesses: int = Field(description="Recorded uses of chunks.")
    used: int = Field(description="Chunks used at least once.")
    shared: str = Field(description="Database with facts, patterns and runs: `path`, or in a linked worktree another.")
    views: tuple[ViewRow, ...] = Field(description="Indexes of the repository's linked worktrees.")
    encodings: dict[str, int] = Field(description="Files that are not UTF-8, by guessed encoding.")
    skipped: dict[str, int] = Field(default={}, description="With `left_out`: skipped files, counted by reason.")
    skipped_files: tuple[SkippedFile, ...] = Field(default=(), description="With `left_out`, sorted by path.")


def read_stats(given: StatsInput, context: Context) -> StatsOutput:
    """Count the contents of the memory."""
    memory = context.project.memory
    stats = memory.stats()
    more = maintenance.measure_maintenance(memory.store, context.root)
    skipped = maintenance.list_left_out(memory.store, context.root) if given.left_out else ()
    return StatsOutput(
        path=stats.path,
        schema_version=stats.schema_version,
        size_bytes=stats.size_bytes,
        files=stats.files,
        chunks=dict(stats.chunks),
        languages=dict(stats.languages),
        vectors=stats.vectors,
        runs=stats.runs,
        indexed_at=stats.indexed_at,
        commit=stats.commit,
        branch=stats.branch,
        root=stats.root,
        state=more.state,
        changed=more.changed,
        new=more.new,
        gone=more.gone,
        sizes=dict(more.sizes),
        accesses=more.accesses,
        used=more.used,
        shared=memory.server or str(memory.shared_store.path),
        views=tuple(map(_describe_view, list_views(memory.shared_store.path))),
        encodings=dict(more.encodings),
        skipped=dict(sorted(Counter(one.reason for one in skipped).items())),
        skipped_files=tuple(
            SkippedFile(path=one.path, reason=one.reason, detail=one.detail) for one in skipped[: given.limit]
        ),
    )


def _describe_view(view: View) -> ViewRow:
    return ViewRow(
        name=view.name,
        root=view.root,
        branch=view.branch,
        commit=view.commit,
        state=view.state,
        files=view.files,
        size_bytes=view.size_bytes,
        exists=view.is_used,
    )


TOOL = Tool(
    name="mem.stats",
    title="Count the contents of the memory",
    description=(
        "Counts of files, chunks by type, languages, vectors and runs; the size of each part; when the project was "
        "last indexed, and how many files were changed, added and deleted since; the indexes of linked worktrees."
    ),
    input=StatsInput,
    output=StatsOutput,
    run=read_stats,
    family="admin",
    risk="read",
    idempotent=True,
    timeout=30.0,
    phases=True,
    examples=(Example("All of it", {}), Example("What is not indexed, and why", {"left_out": True})),
    mcp="aurora_mem_stats",
    command=Command("mem stats", "Show the figures of the memory."),
)
