"""Tools on the records: `mem.add`, `mem.forget`, `mem.consolidate`, `mem.undo`, `mem.why`."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from aurora.memory import records
from aurora.system.secrets.masks import mask_secrets
from aurora.tools.core import Alias, Command, CompactModel, Example, Json, StrictModel, Tool

from .hits import refresh_files

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aurora.memory import Chunk
    from aurora.memory.records import CitationState, StoredRecord
    from aurora.tools.core import Context


_MAX_SUBJECT_CHARS = 120


class AddInput(StrictModel):
    """Fact or pattern to store."""

    text: str = Field(min_length=1, max_length=50_000, description="The text to store, in plain words.")
    subject: str = Field(default="", max_length=200, description="Its subject; by default the beginning of the text.")
    pattern: bool = Field(default=False, description="Store a way of working that proved good instead of a fact.")
    tags: tuple[str, ...] = Field(default=(), max_length=20, description="Words that group records.")
    source: str = Field(default="", max_length=500, description="Its source: a file, a person, a link.")


class AddOutput(StrictModel):
    """Stored record; the same text and subject always have the same id."""

    id: str
    kind: str
    subject: str
    created: bool


def add_record(given: AddInput, context: Context) -> AddOutput:
    """Store a record.

    Raises:
        Fault: INVALID_INPUT for an empty text, FORBIDDEN for one that contains a secret.
    """
    metadata: dict[str, object] = {}
    if given.tags:
        metadata["tags"] = list(dict.fromkeys(given.tags))
    if given.source:
        metadata["sources"] = [given.source]
    records.reject_secret({"text": given.text, "subject": given.subject, **metadata})
    kind = "pattern" if given.pattern else "fact"
    subject = " ".join(given.subject.split()) or _derive_subject(given.text)
    name, created = context.project.memory.remember(
        type="reas" if given.pattern else "know", kind=kind, symbol=subject, text=given.text, metadata=metadata
    )
    return AddOutput(id=name, kind=kind, subject=subject, created=created)


def _derive_subject(text: str) -> str:
    """Return the first line, truncated at a word."""
    first = " ".join(next((line for line in text.splitlines() if line.strip()), "").split())
    if len(first) <= _MAX_SUBJECT_CHARS:
        return first
    return f"{first[:_MAX_SUBJECT_CHARS].rpartition(' ')[0] or first[:_MAX_SUBJECT_CHARS]} …"


class ForgetInput(StrictModel):
    """Records to remove."""

    ids: tuple[str, ...] = Field(min_length=1, max_length=1000, description="The ids of facts and patterns.")


class ForgottenRow(StrictModel):
    """Removed record."""

    id: str
    kind: str
    subject: str


class ForgetOutput(StrictModel):
    """Removed records."""

    forgotten: tuple[ForgottenRow, ...]


def forget_memories(given: ForgetInput, context: Context) -> ForgetOutput:
    """Remove records, all of them or none.

    Raises:
        Fault: NOT_FOUND for ids that do not exist, CONFLICT for chunks of files; then nothing is removed.
    """
    context.require_memory()
    gone = records.forget_records(context.project.memory.shared_store, given.ids)
    return ForgetOutput(
        forgotten=tuple(ForgottenRow(id=one.chunk.id, kind=one.chunk.kind, subject=one.chunk.symbol) for one in gone)
    )


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


class UndoInput(StrictModel):
    """No input."""


class UndoOutput(StrictModel):
    """Change that was undone, and the effects.

    `at` is the time of the change in ISO 8601, UTC; `back` counts restored records, `gone` removed ones; `runs_left`
    lists imported runs that stay because they have continued since.
    """

    action: str
    summary: str
    at: str
    back: int
    gone: int
    runs_left: tuple[str, ...]


def undo_change(given: UndoInput, context: Context) -> UndoOutput:
    """Undo the last change of the memory.

    Raises:
        Fault: NOT_FOUND when there is no memory, or nothing to undo.
    """
    del given
    context.require_memory()
    done = records.undo_last(context.project.memory.shared_store)
    return UndoOutput.from_value(done, back=done.restored_count, gone=done.removed_count)


_MAX_CHARS = 400


class WhyInput(StrictModel):
    """Record."""

    id: str = Field(min_length=1, max_length=80, description="The id of a fact or a pattern.")


class ShownCitation(CompactModel):
    """Cited chunk; `unknown` without a hash, or when its file has changed and is not indexed yet."""

    id: str
    path: str = ""
    symbol: str = ""
    state: Literal["unchanged", "changed", "gone", "unknown"]


class Confirmation(StrictModel):
    """Person who confirmed a record; `at` is ISO 8601 in UTC."""

    by: str
    how: str
    at: str


class WhyOutput(CompactModel):
    """Origin of a record; `at` is ISO 8601 in UTC."""

    id: str
    type: str
    kind: str
    subject: str
    at: str | None = None
    question: str = ""
    workflow: str = ""
    run: str = Field(default="", description="`runs.show` shows it.")
    sources: tuple[str, ...] = ()
    confirmed: Confirmation | None = None
    adopted: str = Field(default="", description="The memory of another account that it was taken from.")
    doubtful: bool = False
    citations: tuple[ShownCitation, ...] = ()
    note: str = ""


def explain_record(given: WhyInput, context: Context) -> WhyOutput:
    """Explain where a record comes from.

    Raises:
        Fault: NOT_FOUND for an unknown id, CONFLICT for a chunk of a file.
    """
    memory = context.project.memory
    heirs = memory.map_merged_ids([given.id])
    id_ = heirs.get(given.id, given.id)
    with memory.store.begin_read() as db:
        chunk = records.find_record(db, id_)
    refresh_files([chunk], context)
    paths = records.list_source_paths(chunk)
    stale = memory.find_stale_paths(paths, root=context.root) if paths else frozenset()
    with memory.store.begin_read() as db:
        at = next((at for _, at in db.records.list_records([id_])), None)
        citations = records.read_citations(chunk.metadata)
        states = records.check_citations(db, citations)
        doubtful = bool(stale) or id_ in records.find_doubtful(db, [chunk])
    cited = tuple(
        ShownCitation(id=one.id, path=one.path, symbol=one.symbol, state=_correct_state(state, one.path in stale))
        for one, state in zip(citations, states, strict=True)
    )
    note = f'"{given.id}" was replaced by "{id_}", which is shown.' if id_ != given.id else ""
    return _build_output(chunk, cited, at, doubtful=doubtful, note=note)


def _correct_state(state: CitationState, is_stale: bool) -> CitationState:  # noqa: FBT001
    return "unknown" if is_stale and state == "unchanged" else state


def _build_output(
    chunk: Chunk, citations: tuple[ShownCitation, ...], at: float | None, *, doubtful: bool, note: str
) -> WhyOutput:
    metadata = chunk.metadata
    sources = metadata.get("sources")
    return WhyOutput(
        id=chunk.id,
        type=chunk.type,
        kind=chunk.kind,
        subject=mask_secrets(chunk.symbol)[:_MAX_CHARS],
        at=None if at is None else datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        question=mask_secrets(_read_text(metadata, "query"))[:_MAX_CHARS],
        workflow=_read_text(metadata, "workflow"),
        run=_read_text(metadata, "run"),
        sources=tuple(str(one)[:_MAX_CHARS] for one in sources[:20]) if isinstance(sources, list) else (),
        confirmed=_read_confirmation(metadata.get("confirmed")),
        adopted=_read_adoption(metadata.get("adopted")),
        doubtful=doubtful,
        citations=citations,
        note=note,
    )


def _read_text(metadata: Mapping[str, Any], key: str) -> str:
    value = metadata.get(key)
    return value if isinstance(value, str) else ""


def _read_adoption(given: Any) -> str:
    return f"{_read_text(given, 'from')[:_MAX_CHARS]}, {_read_text(given, 'at')}" if isinstance(given, dict) else ""


def _read_confirmation(given: Any) -> Confirmation | None:
    if not isinstance(given, dict):
        return None
    return Confirmation(by=_read_text(given, "by"), how=_read_text(given, "how"), at=_read_text(given, "at"))


TOOLS = (
    Tool(
        name="mem.add",
        title="Remember a fact",
        description=(
            "Store a fact about the project, or with `pattern` a way of working that proved good, where aurora_search "
            "finds it and indexing leaves it alone. A duplicate is stored once; a text that contains a secret is "
            "rejected."
        ),
        input=AddInput,
        output=AddOutput,
        run=add_record,
        family="knowledge",
        risk="write",
        idempotent=True,
        timeout=30.0,
        jobs=True,
        examples=(
            Example(
                "A fact", {"text": "Releases are tagged on Thursdays.", "subject": "Releases", "tags": ["process"]}
            ),
            Example("A pattern", {"text": "Read the failing test before the code.", "pattern": True}),
        ),
        mcp="aurora_mem_add",
        command=Command("mem add", "Add a fact or a pattern.", arguments=("text",), joins_words=True),
    ),
    Tool(
        name="mem.forget",
        title="Forget facts and patterns",
        description=(
            "Remove facts and patterns from the memory by id, all of them or none; `aur mem undo` restores them. "
            "A chunk of a file is rejected: the next indexing would add it again."
        ),
        input=ForgetInput,
        output=ForgetOutput,
        run=forget_memories,
        family="knowledge",
        risk="high",
        idempotent=False,
        timeout=30.0,
        constraints=("It does not remove code or documents: they belong to the project's files.",),
        examples=(Example("One fact", {"ids": ["know:36fcb3e9ee4b"]}),),
        mcp="aurora_mem_forget",
        command=Command("mem forget", "Delete facts and patterns.", arguments=("ids",)),
    ),
    Tool(
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
    ),
    Tool(
        name="mem.undo",
        title="Undo the last change",
        description=(
            "Undo the last forget, consolidate or import of the memory, exactly; later uses and additions stay. Run "
            "again to undo the change before it."
        ),
        input=UndoInput,
        output=UndoOutput,
        run=undo_change,
        family="knowledge",
        risk="high",
        idempotent=False,
        timeout=120.0,
        examples=(Example("The last one", {}),),
        mcp="aurora_mem_undo",
        command=Command("mem undo", "Undo the last forget, consolidate or import."),
    ),
    Tool(
        name="mem.why",
        title="Show where a record comes from",
        description=(
            "Show where a fact or a pattern comes from: its question, workflow and run, the person who confirmed it, "
            "and for each text that it cites whether it has changed since."
        ),
        input=WhyInput,
        output=WhyOutput,
        run=explain_record,
        family="knowledge",
        risk="read",
        idempotent=True,
        timeout=30.0,
        phases=True,
        examples=(Example("One fact", {"id": "know:36fcb3e9ee4b"}),),
        mcp="aurora_mem_why",
        command=Command("mem why", "Show where a fact or a pattern comes from.", arguments=("id",)),
    ),
)
