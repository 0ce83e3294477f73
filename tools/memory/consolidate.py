"""mem.consolidate: facts and patterns that say nearly the same become one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field, model_validator

from aurora.tools.core import (
    Command,
    Example,
    Json,
    StrictModel,
    Tool,
)

if TYPE_CHECKING:
    from aurora.memory.records import StoredRecord
    from aurora.tools.core import Context

_STRATEGY_ALIASES = {"temporal": "time", "semantic": "meaning"}


class ConsolidateInput(StrictModel):
    """By what, and how near."""

    by: Literal["similarity", "time", "meaning"] = Field(
        default="similarity",
        description="similarity: nearly the same words. meaning: nearly the same sense. time: one subject told again.",
    )
    min_similarity: float | None = Field(
        default=None, ge=0.5, le=1, description="How near two must be; 0.8 by similarity, 0.9 by meaning."
    )
    window_hours: float = Field(
        default=24.0, gt=0, le=87_600, description="By time: hours within which the later one replaces the earlier."
    )
    max_memories: int | None = Field(default=None, ge=2, description="Look only at so many, those kept last.")
    dry_run: bool = Field(default=False, description="Show what would be merged, and change nothing.")

    @model_validator(mode="before")
    @classmethod
    def _accept_strategy(cls, given: Any) -> Any:
        """`strategy` with `temporal` and `semantic` says the same as `by`; hosts that know such tools write it."""
        if isinstance(given, dict) and "strategy" in given and "by" not in given:
            word = given["strategy"]
            others = {key: value for key, value in given.items() if key != "strategy"}
            return {**others, "by": _STRATEGY_ALIASES.get(word, word) if isinstance(word, str) else word}
        return given


class MemoryRow(StrictModel):
    """One fact or pattern."""

    id: str
    subject: str
    text: str


class TakenRow(MemoryRow):
    """One that is taken over, and how near it is to the one that is kept, 0..1."""

    score: float


class MergeRow(StrictModel):
    """One that is kept, those it takes over, and what it has then: metadata, and times it was used."""

    kept: MemoryRow
    taken: tuple[TakenRow, ...]
    metadata: dict[str, Json]
    uses: int


class ConsolidateOutput(StrictModel):
    """The merges; `backup` is the one made before, if anything was changed."""

    by: str
    dry_run: bool
    looked_at: int
    merged: int
    merges: tuple[MergeRow, ...]
    backup: str | None


def consolidate_memory(given: ConsolidateInput, context: Context) -> ConsolidateOutput:
    """Merge them.

    Raises:
        Fault: UPSTREAM_ERROR by meaning without embeddings.
    """
    from aurora.memory.records import ConsolidationOptions  # noqa: PLC0415 - listing tools must not pay for SQLite
    from aurora.memory.records import consolidate_records as merge_them  # noqa: PLC0415 - as above

    way = ConsolidationOptions(given.by, given.min_similarity, given.window_hours * 3600, given.max_memories)
    done = merge_them(context.project.memory.store, way, dry_run=given.dry_run)
    rows = tuple(
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
        merged=sum(len(row.taken) for row in rows),
        merges=rows,
        backup=done.backup,
    )


def _to_fields(one: StoredRecord) -> dict[str, str]:
    return {"id": one.chunk.id, "subject": one.chunk.symbol, "text": one.chunk.text}


TOOL = Tool(
    name="mem.consolidate",
    title="Merge near-duplicates",
    description=(
        "Merge facts and patterns that say nearly the same, by the similarity of their words, by time (a subject told "
        "again), or by meaning. The one used most is kept and takes over the accesses, tags and sources of the others. "
        "Texts that differ in a number, a denial or a name are never merged by words or meaning. With dry_run it shows "
        "the merges; `aur mem undo` takes them back."
    ),
    input=ConsolidateInput,
    output=ConsolidateOutput,
    run=consolidate_memory,
    family="knowledge",
    risk="high",
    idempotent=True,
    timeout=300.0,
    examples=(Example("What would be merged", {"dry_run": True}), Example("By meaning", {"by": "meaning"})),
    aliases=("consolidate_memories", "trigger_consolidation"),
    mcp="aurora_mem_consolidate",
    command=Command("mem consolidate", "Merge near-duplicate facts and patterns."),
)
