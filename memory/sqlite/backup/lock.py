"""Exclusive lock while a process replaces the database file."""

from __future__ import annotations

import contextlib
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

import apsw

from aurora.memory.files import refuse_foreign_link
from aurora.memory.sqlite import file

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
    """Lock the database against repairs and, if it is readable, writes.

    There are two locks: SQLite cannot lock a badly damaged file, and a separate lock file does not stop plain writers.
    A writer that waited finds a new file afterwards, and `Store` reopens it.

    Raises:
        apsw.BusyError: another process keeps the lock for too long.
        OSError: the folder cannot be written.
    """
    with _acquire_repair_lock(_get_lock_file(database)):
        file.settle_files(database, moves=True)
        with _acquire_write_lock(database):
            yield


def wait_for_repair(database: Path) -> None:
    """Wait until no other process replaces the database.

    Raises:
        apsw.BusyError: another process keeps the lock for too long.
        OSError: the folder cannot be written.
    """
    lock_file = _get_lock_file(database)
    if lock_file.exists():
        with _acquire_repair_lock(lock_file):
            pass


def _get_lock_file(database: Path) -> Path:
    lock_file = database.with_name(f".{database.name}.mending")
    refuse_foreign_link(lock_file)
    file.settle_files(lock_file, moves=True)  # SQLite opens it, too; Aurora's is empty
    return lock_file


@contextmanager
def _acquire_repair_lock(lock_file: Path) -> Iterator[None]:
    """Lock an empty file next to the database through SQLite."""
    while (lock := _try_lock(lock_file)) is None:
        pass  # the previous owner deleted the lock file meanwhile
    try:
        yield
    finally:
        with contextlib.suppress(OSError):  # Windows does not delete open files
            lock_file.unlink(missing_ok=True)
        lock.close()


def _try_lock(lock_file: Path) -> apsw.Connection | None:
    """Return the connection that has the lock; None if the file was deleted meanwhile."""
    lock_file.touch()
    inode = _read_inode(lock_file)
    lock = apsw.Connection(str(lock_file))
    try:
        lock.set_busy_timeout(_BUSY_TIMEOUT_MS)
        lock.execute("BEGIN EXCLUSIVE")
    except apsw.IOError:  # also of a file that was deleted while it was open
        lock.close()
        if inode is not None and inode == _read_inode(lock_file):
            raise
        return None
    except BaseException:
        lock.close()
        raise
    if inode is not None and inode == _read_inode(lock_file):
        return lock
    lock.close()
    return None


def _read_inode(path: Path) -> int | None:
    try:
        return path.stat().st_ino
    except FileNotFoundError:
        return None


@contextmanager
def _acquire_write_lock(database: Path) -> Iterator[None]:
    """Open a write transaction that writes nothing, if the file is readable."""
    if os.name == "nt" or not database.exists():  # Windows does not rename open files
        yield
        return
    with contextlib.closing(apsw.Connection(str(database))) as db:
        with contextlib.suppress(*_DAMAGE_ERRORS):
            db.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)  # the log moves with the file
            db.set_busy_timeout(_BUSY_TIMEOUT_MS)
            db.execute("BEGIN IMMEDIATE")
        yield
