"""Reports of indexing and statistics of the memory; all frozen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@dataclass(frozen=True, slots=True)
class SkippedFile:
    """Skipped file and the reason (`binary`, `generated`, `huge`, `secret`, …)."""

    path: str
    reason: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class LeftOutLine:
    """Line of a file, counted from 1, that was left out, and the kind of the secret in it."""

    path: str
    line: int
    kind: str


@dataclass(frozen=True, slots=True)
class IndexReport:
    """Report of an index run; counts files, except `chunks` (the new total) and `embedded`."""

    root: str
    files: int
    added: int
    changed: int
    unchanged: int
    removed: int
    chunks: int
    embedded: int
    unparsed: int
    """Files whose grammar found errors or failed, so that they were read as plain text."""
    bytes: int
    seconds: float
    skipped: Sequence[SkippedFile]
    embedding_seconds: float = 0.0
    """The part of `seconds` for embeddings; terms and symbols were searchable before."""
    left_out: Sequence[LeftOutLine] = ()
    """Lines with secrets in the files that were read now."""
    note: str = ""
    """Sentence on what the person expected and did not get; empty from the second run on."""


@dataclass(frozen=True, slots=True)
class Stats:
    """Statistics of the memory; `indexed_at` is ISO 8601 in UTC, None if never indexed."""

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
    commit: str = ""
    """Commit of the last indexing of the whole tree; empty without git."""
    branch: str = ""
    """Branch at that time; empty without one."""
    nodes: int = 0
    """Definitions, files and sections in the code graph."""
