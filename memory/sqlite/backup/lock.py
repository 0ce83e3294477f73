"""Nobody else mends a database, or writes to it, while one process puts another file in its place."""

from __future__ import annotations

import contextlib
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

import apsw

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_BUSY_TIMEOUT_MS = 5_000  # milliseconds
_DAMAGE_ERRORS = (
    apsw.NotADBError,
    apsw.CorruptError,
    apsw.FormatError,
    apsw.CantOpenError,
    apsw.IOError,
    apsw.ReadOnlyError,
)


@contextmanager
def lock_exclusively(database: Path) -> Iterator[None]:
    """Keep others from mending the database, and, as far as it is still a database, from writing to it.

    Two locks, for one is not enough: a file that is torn badly cannot be locked through SQLite, and a lock beside it
    does not hold back those who only write. Whoever waited to write finds another file under the name when this
    ends, and `Store` follows it.

    Raises:
        apsw.BusyError: when another process does not let go in time.
        OSError: when the folder cannot be written.
    """
    with _acquire_repair_lock(database.with_name(f".{database.name}.mending")), _acquire_write_lock(database):
        yield


@contextmanager
def _acquire_repair_lock(beside: Path) -> Iterator[None]:
    """A lock on an empty file beside the database, through SQLite, which knows how on every system."""
    while True:
        beside.touch()
        before = beside.stat().st_ino
        lock = apsw.Connection(str(beside))
        try:
            lock.set_busy_timeout(_BUSY_TIMEOUT_MS)
            lock.execute("BEGIN EXCLUSIVE")
            if not _is_same_file(beside, before):
                continue  # the one before us has taken the file away while we waited for it
            try:
                yield
            finally:
                with contextlib.suppress(OSError):  # Windows deletes no file that is open
                    beside.unlink(missing_ok=True)
            return
        finally:
            lock.close()


def _is_same_file(path: Path, inode: int) -> bool:
    try:
        return path.stat().st_ino == inode
    except FileNotFoundError:
        return False


@contextmanager
def _acquire_write_lock(database: Path) -> Iterator[None]:
    """A write transaction that writes nothing, where the file can still be opened; nobody can write to another one."""
    if os.name == "nt" or not database.exists():  # Windows renames no file that is open
        yield
        return
    with contextlib.closing(apsw.Connection(str(database))) as db:
        with contextlib.suppress(*_DAMAGE_ERRORS):
            db.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)  # the log is set aside with the file, as it is
            db.set_busy_timeout(_BUSY_TIMEOUT_MS)
            db.execute("BEGIN IMMEDIATE")
        yield
