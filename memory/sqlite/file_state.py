"""State of the database's files, to notice what another program does to them while they are open."""

from __future__ import annotations

import contextlib
import os
from datetime import UTC, datetime
from enum import Enum, auto
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path

INDEX_BYTES = 32_768
"""Bytes of the smallest index of the log; SQLite maps it in regions of this size (sqlite.org/walformat.html, 2.4)."""


class FileMark(NamedTuple):
    """Device and inode number, size in bytes and time of the last change in nanoseconds of a file."""

    device: int
    inode: int
    size: int
    changed_ns: int

    def is_same_file(self, other: FileMark | None) -> bool:
        """Return True for another mark of the same file, whatever its content."""
        return other is not None and (self.device, self.inode) == (other.device, other.inode)


class DatabaseState(NamedTuple):
    """Marks of a database, its write-ahead log and the log's index; None for a missing file."""

    database: FileMark | None
    log: FileMark | None
    log_index: FileMark | None


class FileHarm(Enum):
    """Change that SQLite never makes while a connection is open.

    Attributes:
        SHRUNK: the database is shorter than before, as a restored smaller backup is, too.
        LOG_REMOVED: the log was removed; its open file still has all commits.
        LOG_LOST: the log was replaced or truncated: its last commits may be lost.
        INDEX_LOST: the index of the log was removed, replaced or truncated. SQLite has mapped it into memory, and
            reading behind its end kills the process with SIGBUS. Nothing is lost: it is built from the log again.
    """

    SHRUNK = auto()
    LOG_REMOVED = auto()
    LOG_LOST = auto()
    INDEX_LOST = auto()


def read_state(database: str) -> DatabaseState:
    """Read the marks of a database's files, without opening them.

    Opening and closing a file drops all locks of this process on it (sqlite.org/howtocorrupt.html, 2.2).
    """
    return DatabaseState(read_mark(database), read_mark(f"{database}-wal"), read_mark(f"{database}-shm"))


def read_mark(path: str) -> FileMark | None:
    """Read the mark of a file; None when it is missing."""
    try:
        status = os.stat(path)  # noqa: PTH116 - runs at every transaction, and `Path.stat` takes three times as long
    except FileNotFoundError:
        return None
    return FileMark(status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)


def find_harm(seen: DatabaseState, now: DatabaseState) -> FileHarm | None:
    """Find a change that another program made to the files of an open database.

    Args:
        seen: the state when a connection was last used.
        now: the state now, of the same database file.
    """
    index_lost = now.log_index is not None and (
        now.log_index.size < INDEX_BYTES or _has_shrunk(seen.log_index, now.log_index)
    )
    if _has_shrunk(seen.log, now.log):
        return FileHarm.LOG_LOST if now.log is not None or index_lost else FileHarm.LOG_REMOVED
    if index_lost or _has_shrunk(seen.log_index, now.log_index):
        return FileHarm.INDEX_LOST
    return FileHarm.SHRUNK if _has_shrunk(seen.database, now.database) else None


def _has_shrunk(before: FileMark | None, after: FileMark | None) -> bool:
    if before is None:
        return False
    return after is None or not before.is_same_file(after) or after.size < before.size


def set_log_aside(database: Path, seen: DatabaseState) -> None:
    """Rename the log of a database that was replaced; SQLite would apply it to the new one.

    Args:
        database: the path, which another file has now.
        seen: the state of the former files; a log or an index that is not of them stays.
    """
    log, index = (database.with_name(f"{database.name}{ending}") for ending in ("-wal", "-shm"))
    stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S-%f")
    with contextlib.suppress(FileNotFoundError):  # another process was faster
        if seen.log_index is not None and seen.log_index.is_same_file(read_mark(str(index))):
            index.unlink()
    with contextlib.suppress(FileNotFoundError):
        if seen.log is not None and seen.log.is_same_file(read_mark(str(log))):
            log.rename(database.with_name(f"{database.name}.damaged-{stamp}-wal"))
