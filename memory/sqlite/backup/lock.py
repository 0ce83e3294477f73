"""Exclusive lock while a process replaces the database file."""

from __future__ import annotations

import contextlib
import os
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

import apsw

from aurora import trust
from aurora.memory.files import refuse_foreign_link
from aurora.memory.sqlite import owner

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_BUSY_TIMEOUT_MS = 5_000  # milliseconds
_POLL_SECONDS = 0.01
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
        owner.settle_files(database, moves=True)
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
    return lock_file


@contextmanager
def _acquire_repair_lock(lock_file: Path) -> Iterator[None]:
    """Lock an empty file next to the database, and delete it afterwards."""
    with contextlib.ExitStack() as stack:
        give_up = time.monotonic() + _BUSY_TIMEOUT_MS / 1000
        while not _try_lock(lock_file, stack):
            if time.monotonic() > give_up:
                raise apsw.BusyError(f"another process repairs {lock_file}")
            time.sleep(_POLL_SECONDS)
        try:
            yield
        finally:
            with contextlib.suppress(OSError):  # Windows does not delete open files
                lock_file.unlink(missing_ok=True)


def _try_lock(lock_file: Path, stack: contextlib.ExitStack) -> bool:
    """Lock the file until the stack ends; False if another process has it, or deleted it meanwhile."""
    with contextlib.ExitStack() as lock:
        try:
            handle = lock.enter_context(trust.lock_exclusively(lock_file, waits=False))
            is_same = os.path.samestat(os.fstat(handle), lock_file.stat())
        except (BlockingIOError, FileNotFoundError):
            return False
        except PermissionError:
            if os.name != "nt":  # there it is how a lock is refused
                raise
            return False
        if is_same:
            stack.push(lock.pop_all())
        return is_same


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
