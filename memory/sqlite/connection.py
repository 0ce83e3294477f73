"""Connections: check the file, then open, create or migrate it."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import apsw

from aurora.faults import Code, Fault
from aurora.memory import sqlite
from aurora.memory.files import prepare_folder

from . import schema
from .errors import build_damage_fault

if TYPE_CHECKING:
    from pathlib import Path

    from .migrate import DataMigrations

_HEADER_BYTES = 100  # bytes; https://www.sqlite.org/fileformat2.html#the_database_header
_MAGIC = b"SQLite format 3\x00"


def check_file(path: Path) -> None:
    """Raise a fault for a file that cannot be an intact database.

    Raises:
        Fault: INVALID_INPUT for a folder, UPSTREAM_ERROR for another kind of file or a truncated one.
    """
    if path.is_dir():
        raise Fault(
            Code.INVALID_INPUT,
            f'the memory "{path}" is a folder, not a file',
            help="move the folder away, or set AURORA_DB to a file",
            details={"path": str(path)},
        )
    if not path.exists():
        return
    with path.open("rb") as file:
        head = file.read(_HEADER_BYTES)
    if head and not head.startswith(_MAGIC):
        raise build_damage_fault(path, "it has no SQLite header")
    if head and _is_truncated(path, head):
        raise build_damage_fault(path, "it is truncated")


def _is_truncated(path: Path, head: bytes) -> bool:
    log = path.with_name(path.name + "-wal")
    if log.exists() and log.stat().st_size:
        return False  # pages may still be in the log, so the file may be shorter than its header says
    if len(head) < _HEADER_BYTES:
        return True
    page = int.from_bytes(head[16:18], "big")
    page = 65536 if page == 1 else page
    return path.stat().st_size < page * int.from_bytes(head[28:32], "big")


def open_connection(path: Path, *, read_only: bool, busy_timeout: float) -> apsw.Connection:
    """Open a connection with Aurora's settings.

    Args:
        path: the database, created if missing unless `read_only`.
        read_only: let SQLite reject writes.
        busy_timeout: the seconds to wait for a lock.

    Raises:
        apsw.Error: the caller translates it to a fault.
    """
    if read_only:
        db = _open_read_only(path, busy_timeout)
    else:
        db = apsw.Connection(str(path), apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE)
    try:
        db.set_busy_timeout(round(busy_timeout * 1000))
        db.pragma("foreign_keys", 1)
        db.pragma("temp_store", "memory")
        db.pragma("mmap_size", 1 << 30)
        db.pragma("cache_size", -32_000)  # KiB
        if not read_only:
            db.pragma("synchronous", "normal")
    except BaseException:
        db.close()
        raise
    return db


def _open_read_only(path: Path, busy_timeout: float) -> apsw.Connection:
    db = apsw.Connection(str(path), apsw.SQLITE_OPEN_READONLY)
    try:
        # The first reader after a kill recovers the log and locks the others out meanwhile.
        db.set_busy_timeout(round(busy_timeout * 1000))
        db.pragma("user_version")
    except (apsw.CantOpenError, apsw.ReadOnlyError):
        # A write-ahead log needs a writable folder. Without one no process can write, so the file can be read as it is,
        # unless the log contains pages: then the file is outdated, and the error is correct.
        db.close()
        log = path.with_name(path.name + "-wal")
        if log.exists() and log.stat().st_size:
            raise
        where = f"{path.absolute().as_uri()}?immutable=1"
        return apsw.Connection(where, apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
    except BaseException:
        db.close()
        raise
    return db


def is_writable(path: Path) -> bool:
    """Check write permission of file and folder; SQLite needs both for its log."""
    existing = next((place for place in (path, *path.parents) if place.exists()), path)
    return os.access(existing, os.W_OK) and (not path.exists() or os.access(path.parent, os.W_OK))


def open_or_create(path: Path, *, busy_timeout: float, after: DataMigrations) -> None:
    """Create a missing database or migrate an older one.

    A newer database or one of another program stays as it is.

    Raises:
        Fault: CONFLICT for a newer version or another program's database.
        apsw.Error, OSError: the caller translates them.
    """
    prepare_folder(path)
    db = open_connection(path, read_only=False, busy_timeout=busy_timeout)
    try:
        if not _is_current(db, path):
            db.execute("BEGIN IMMEDIATE")
            if not _is_current(db, path):  # another process may have been faster
                schema.create_schema(db) if schema.read_version(db) == 0 else sqlite.migrate_schema(db, after)
            db.execute("COMMIT")
        _enable_wal(db, busy_timeout)
    finally:
        db.close()


def _enable_wal(db: apsw.Connection, busy_timeout: float) -> None:
    """Enable the write-ahead log, so that readers and the writer run in parallel.

    SQLite does not wait for locks here, so two processes that start together would fail without the loop.
    """
    end = time.monotonic() + busy_timeout
    while db.pragma("journal_mode") != "wal":
        try:
            db.pragma("journal_mode", "wal")
        except apsw.BusyError:
            if time.monotonic() > end:
                raise
            time.sleep(0.01)


def _is_current(db: apsw.Connection, path: Path) -> bool:
    found = schema.read_version(db)
    if _is_foreign(db, found):
        raise Fault(
            Code.CONFLICT,
            f'the memory "{path}" is a database of another program',
            help="set AURORA_DB to another file, or move this one away",
            details={"path": str(path)},
        )
    if found > schema.VERSION:
        raise Fault(
            Code.CONFLICT,
            f'the memory "{path}" has version {found}, and this Aurora supports versions up to {schema.VERSION}',
            help="install a newer Aurora (`pip install --upgrade aurora-workflows`), or set AURORA_DB to another file",
            details={"path": str(path), "found": found, "known": schema.VERSION},
        )
    return found == schema.VERSION


def _is_foreign(db: apsw.Connection, version: int) -> bool:
    if db.pragma("application_id") == schema.APPLICATION_ID:
        return False
    return version > 0 or bool(db.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchall())


def check_readable(db: apsw.Connection, path: Path) -> bool:
    """Check that a database opened read-only has the current version.

    Returns:
        False for an empty file, which counts as an empty memory.

    Raises:
        Fault: CONFLICT for a newer or older version, or another program's database.
    """
    if _is_current(db, path):
        return True
    found = schema.read_version(db)
    if found == 0:
        return False
    raise Fault(
        Code.CONFLICT,
        f'the memory "{path}" has version {found} and must be migrated to {schema.VERSION} before it can be read',
        help="run `aur mem stats` once without READ_ONLY=1",
        details={"path": str(path), "found": found, "known": schema.VERSION},
    )
