"""Reports of indexing, backups and recovery, and the address of a server."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

MANUAL_REASON = "manual"


HOURLY_REASON = "hourly"
"""Reason of the backups that Aurora makes by itself, of facts, patterns and runs only."""


@dataclass(frozen=True, slots=True)
class Backup:
    """Backup; `reason` is `manual`, `hourly` or the operation, such as `before-restore`."""

    name: str
    path: Path
    made_at: str
    reason: str
    size_bytes: int

    @property
    def is_automatic(self) -> bool:
        """Check whether Aurora made the backup by itself and may delete it."""
        return self.reason != MANUAL_REASON


@dataclass(frozen=True, slots=True)
class RestoreResult:
    """Result of a restore.

    `previous_backup` contains the state before, `damaged_path` is the new place of a damaged file. `only_before` counts
    the `records` and the `runs` of that state which the backup does not have; it is empty for a damaged file.
    """

    backup: Backup
    previous_backup: Backup | None
    damaged_path: Path | None
    only_before: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class RecoveryResult:
    """Result of the replacement of a damaged database.

    Attributes:
        damaged_path: the new place of the damaged database; None when nothing was replaced.
        saved: the number of rows that were read of it, by table.
        lost: the names of the lost rows, or what can be said of them.
        backup: the backup that the other rows came from.
        from_backup: the number of these rows, by table.
    """

    damaged_path: Path | None
    saved: Mapping[str, int] = field(default_factory=dict)
    lost: Sequence[str] = ()
    backup: Backup | None = None
    from_backup: Mapping[str, int] = field(default_factory=dict)


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


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """Database server and the project in it.

    Attributes:
        url: connection URL with its password, never shown.
        project: name of the project.
        place: hosts and database without user, password and options.
    """

    url: str = field(repr=False)
    project: str
    place: str

    def __str__(self) -> str:
        return f"{self.place}, project {self.project}"
