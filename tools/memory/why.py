"""`mem.why`: where a record comes from, and whether what it cites has changed."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from aurora.faults.secrets import mask_secrets
from aurora.memory import records
from aurora.tools.core import Command, CompactModel, Example, StrictModel, Tool

from .hits import refresh_files

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aurora.memory import Chunk
    from aurora.memory.records import CitationState
    from aurora.tools.core import Context

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


TOOL = Tool(
    name="mem.why",
    title="Show where a record comes from",
    description=(
        "Show where a fact or a pattern comes from: its question, workflow and run, the person who confirmed it, and "
        "for each text that it cites whether it has changed since."
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
)
