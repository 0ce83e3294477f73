"""The values that the memory gives and takes; all frozen."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

ChunkType = Literal["code", "reas", "know"]


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of memory.

    Attributes:
        id: stable name, `code:1f3a9c0b2d4e`, `know:…` or `reas:…`; the same for unchanged content at the same place.
        type: `code`, `know` (documents, facts) or `reas` (reasoning patterns).
        path: the file inside the project with forward slashes; None for what is not from a file.
        start_line, end_line: first and last line, counted from 1; 0 where there is no file.
        symbol: qualified name, `Class.method`, the heading of a section, or the title of a pattern; may be empty.
        kind: `function`, `class`, `method`, `section`, `text`, `pattern`, `cached` …
        language: `python`, `markdown` …; empty where there is none.
        text: the whole text.
        metadata: facts beside it (JSON values).
    """

    id: str
    type: ChunkType
    path: str | None
    start_line: int
    end_line: int
    symbol: str
    kind: str
    language: str
    text: str
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk that a search found: where, why, and how well it fits (`score` in 0..1, comparable in one result)."""

    chunk: Chunk
    score: float
    preview: str
    parts: Mapping[str, float]
    stale: bool = False
    """True when the file has changed since it was indexed, so that the lines may have moved."""


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The hits, best first, and how far the answer can be trusted.

    Attributes:
        confidence: 0..1; near 0 when nothing fits the query's words or meaning.
        total: how many candidates were considered.
        note: one honest sentence when there is something to say (nothing found, memory empty, stale files); else empty.
    """

    hits: Sequence[Hit]
    confidence: float
    total: int
    note: str = ""


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file that was left out, and why (`binary`, `generated`, `huge`, `secret`, `unreadable`, `outside`, …)."""

    path: str
    reason: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What an indexing run did; counts are of files but for `chunks` (all that are now held) and `embedded`."""

    root: str
    files: int
    added: int
    changed: int
    unchanged: int
    removed: int
    chunks: int
    embedded: int
    unparsed: int
    """Files whose grammar found errors or that have no grammar failed over to plain text."""
    bytes: int
    seconds: float
    skipped: Sequence[Skipped]
    embedding_seconds: float = 0.0
    """The part of `seconds` that meaning took; words and symbols were searchable before."""


@dataclass(frozen=True, slots=True)
class Stats:
    """What the memory holds, by type and language; how big, and when last indexed (ISO 8601, UTC; None: never)."""

    path: str
    schema_version: int
    size_bytes: int
    files: int
    chunks: Mapping[str, int]
    languages: Mapping[str, int]
    vectors: int
    runs: int
    indexed_at: str | None
    root: str | None


@dataclass(frozen=True, slots=True)
class RunRow:
    """One run as the journal keeps it; `document` is the interpreter's own JSON, opaque here."""

    run: str
    workflow: str
    created_at: str
    updated_at: str
    steps: int
    document: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class StepRow:
    """One step as the journal keeps it; `seq` counts from 1 within the run."""

    run: str
    seq: int
    phase: str
    at: str
    document: Mapping[str, Any]


class Journalled(Protocol):
    """The journal half of a memory; every method is one transaction, durable once it returns."""

    def create(
        self, run: str, workflow: str, document: Mapping[str, Any], steps: Sequence[tuple[str, Mapping[str, Any]]]
    ) -> None:
        """Begin run `run` with these first steps, `(phase, document)`; Fault CONFLICT when the id is taken."""

    def append(self, run: str, seq: int, phase: str, document: Mapping[str, Any], head: Mapping[str, Any]) -> None:
        """Add step `seq` and replace the run's document by `head`; Fault CONFLICT when that seq exists already."""

    def head(self, run: str) -> RunRow | None:
        """The run, or None."""

    def steps(self, run: str) -> Sequence[StepRow]:
        """Its steps in order."""

    def runs(self, limit: int, offset: int = 0, workflow: str | None = None) -> Sequence[RunRow]:
        """The newest runs first; only those of `workflow` when it is named."""
