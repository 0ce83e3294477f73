"""What the memory tells of its indexing and of itself; all frozen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@dataclass(frozen=True, slots=True)
class SkippedFile:
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
    skipped: Sequence[SkippedFile]
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
