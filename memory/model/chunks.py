"""Chunks and search results; all frozen."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

ChunkType = Literal["code", "reas", "know"]


@dataclass(frozen=True, slots=True)
class Chunk:
    """Chunk of memory: a part of a file, a document, a fact or a pattern.

    Attributes:
        id: stable name, `code:1f3a9c0b2d4e`, `know:…` or `reas:…`; the same for unchanged content at the same place.
        type: `code`, `know` (documents, facts) or `reas` (reasoning patterns).
        path: the file inside the project with forward slashes; None for what is not from a file.
        start_line, end_line: first and last line, counted from 1; 0 where there is no file.
        symbol: qualified name, `Class.method`, the heading of a section, or the title of a pattern; may be empty.
        kind: `function`, `class`, `method`, `section`, `text`, `pattern`, `cached` …
        language: `python`, `markdown` …; empty where there is none.
        text: the whole text.
        metadata: further facts (JSON values).
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


class Hit(NamedTuple):
    """Search hit: a chunk, its score in 0..1 (comparable within one result) and its parts."""

    chunk: Chunk
    score: float
    preview: str
    parts: Mapping[str, float]
    stale: bool = False
    """True when the file, or one that a pattern cites, has changed since indexing, so that the lines may have moved."""
    doubtful: bool = False
    """True for a past answer whose citations changed, are gone, or cannot be checked."""
    adopted: bool = False
    """True for a record that another account wrote, and `aur mem adopt` took over."""
    confirmed: bool = False
    """True for a record that a person confirmed."""


class SearchResult(NamedTuple):
    """Hits of a search, best first, with its confidence.

    Attributes:
        confidence: 0..1; near 0 when nothing matches the query's terms or embedding.
        total: number of candidates.
        note: a remark on the result (nothing found, memory empty, stale files); else empty.
    """

    hits: Sequence[Hit]
    confidence: float
    total: int
    note: str = ""
