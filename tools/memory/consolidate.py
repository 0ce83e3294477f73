"""`mem.consolidate`: merge facts and patterns that are nearly the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from aurora.memory import records
from aurora.tools.core import (
    Alias,
    Command,
    Example,
    Json,
    StrictModel,
    Tool,
)

if TYPE_CHECKING:
    from aurora.memory.records import StoredRecord
    from aurora.tools.core import Context

_STRATEGIES = {"by": {"temporal": "time", "semantic": "meaning"}}


class ConsolidateInput(StrictModel):
    """Measure, threshold and range of a consolidation."""

    by: Literal["similarity", "time", "meaning"] = Field(
        default="similarity",
        description="similarity: nearly the same words. meaning: nearly the same sense. time: one subject, said twice.",
    )
    min_similarity: float | None = Field(
        default=None, ge=0.5, le=1, description="Least similarity of two records; 0.8 by similarity, 0.9 by meaning."
    )
    window_hours: float = Field(
        default=24.0, gt=0, le=87_600, description="By time: hours within which a later record replaces an earlier one."
    )
    max_memories: int | None = Field(default=None, ge=2, description="Compare only so many records, the newest.")
    dry_run: bool = Field(default=False, description="Show what would be merged, and change nothing.")


class MemoryRow(StrictModel):
    """Fact or pattern."""

    id: str
    subject: str
    text: str


class TakenRow(MemoryRow):
    """Record that is merged into another, with their similarity, 0..1."""

    score: float


class MergeRow(StrictModel):
    """Record that stays, the records merged into it, its metadata and uses."""

    kept: MemoryRow
    taken: tuple[TakenRow, ...]
    metadata: dict[str, Json]
    uses: int


class ConsolidateOutput(StrictModel):
    """Merges; `backup` names the backup made before the first change."""

    by: str
    dry_run: bool
    looked_at: int
    merged: int
    merges: tuple[MergeRow, ...]
    backup: str | None


def consolidate_memory(given: ConsolidateInput, context: Context) -> ConsolidateOutput:
    """Merge near-duplicate records.

    Raises:
        Fault: NOT_FOUND without a memory; UPSTREAM_ERROR by meaning without embeddings.
    """
    context.require_memory()
    options = records.ConsolidationOptions(
        given.by, given.min_similarity, given.window_hours * 3600, given.max_memories
    )
    done = records.consolidate_records(context.project.memory.shared_store, options, dry_run=given.dry_run)
    merge_rows = tuple(
        MergeRow(
            kept=MemoryRow(**_to_fields(merge.record)),
            taken=tuple(TakenRow(**_to_fields(one), score=round(score, 3)) for one, score in merge.absorbed),
            metadata=dict(merge.record.chunk.metadata),
            uses=len(merge.record.accesses),
        )
        for merge in done.merges
    )
    return ConsolidateOutput(
        by=given.by,
        dry_run=given.dry_run,
        looked_at=done.record_count,
        merged=sum(len(row.taken) for row in merge_rows),
        merges=merge_rows,
        backup=done.backup,
    )


def _to_fields(record: StoredRecord) -> dict[str, str]:
    return {"id": record.chunk.id, "subject": record.chunk.symbol, "text": record.chunk.text}


TOOL = Tool(
    name="mem.consolidate",
    title="Merge near-duplicates",
    description=(
        "Merge facts and patterns that say nearly the same, by the similarity of their words, by time (one subject "
        "recorded again), or by meaning. The record used most stays and gets the accesses, tags and sources of the "
        "others. Texts that differ in a number, a negation or a name are never merged by words or meaning. dry_run "
        "shows the merges; `aur mem undo` undoes them."
    ),
    input=ConsolidateInput,
    output=ConsolidateOutput,
    run=consolidate_memory,
    family="knowledge",
    risk="high",
    idempotent=True,
    timeout=300.0,
    jobs=True,
    examples=(Example("What would be merged", {"dry_run": True}), Example("By meaning", {"by": "meaning"})),
    aliases=(
        Alias("consolidate_memories", {"strategy": "by"}, _STRATEGIES),
        Alias("trigger_consolidation", {"strategy": "by"}, _STRATEGIES),
    ),
    mcp="aurora_mem_consolidate",
    command=Command("mem consolidate", "Merge near-duplicate facts and patterns."),
)
