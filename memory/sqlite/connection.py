"""Opening the file: what it must be before anything is asked of it, and how it is made or grown."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import apsw

from aurora.faults import Code, Fault
from aurora.memory.files import prepare_folder

from . import schema
from .errors import build_damage_fault

if TYPE_CHECKING:
    from pathlib import Path

_HEADER_BYTES = 100  # bytes; https://www.sqlite.org/fileformat2.html#the_database_header
_MAGIC = b"SQLite format 3\x00"


def check_file(path: Path) -> None:
    """Refuse what cannot be a whole database, before SQLite writes a byte beside it.

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
        raise build_damage_fault(path, "it does not begin like one")
    if head and _is_truncated(path, head):
        raise build_damage_fault(path, "its end is missing")


def _is_truncated(path: Path, head: bytes) -> bool:
    log = path.with_name(path.name + "-wal")
    if log.exists() and log.stat().st_size:
        return False  # pages may still be in the log, and the file shorter than its header says
    if len(head) < _HEADER_BYTES:
        return True
    page = int.from_bytes(head[16:18], "big")
    page = 65536 if page == 1 else page
    return path.stat().st_size < page * int.from_bytes(head[28:32], "big")


def open_connection(path: Path, *, read_only: bool, patience: float) -> apsw.Connection:
    """A connection with this room's settings.

    Args:
        path: the database; made when missing, unless `read_only`.
        read_only: open so that SQLite itself refuses to write.
        patience: seconds to wait for a lock before giving up.

    Raises:
        apsw.Error: whatever SQLite has to say; the caller turns it into a fault.
    """
    if read_only:
        db = _open_read_only(path, patience)
    else:
        db = apsw.Connection(str(path), apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE)
    try:
        db.set_busy_timeout(round(patience * 1000))
        db.pragma("foreign_keys", True)  # noqa: FBT003 - the pragma's value, given by place in apsw
        db.pragma("temp_store", "memory")
        db.pragma("mmap_size", 1 << 30)
        db.pragma("cache_size", -32_000)  # KiB
        if not read_only:
            db.pragma("synchronous", "normal")
    except BaseException:
        db.close()
        raise
    return db


def _open_read_only(path: Path, patience: float) -> apsw.Connection:
    db = apsw.Connection(str(path), apsw.SQLITE_OPEN_READONLY)
    try:
        # The first who opens it after a kill reads the log, and keeps the others out meanwhile.
        db.set_busy_timeout(round(patience * 1000))
        db.pragma("user_version")
    except (apsw.CantOpenError, apsw.ReadOnlyError):
        # A write-ahead log needs a writable folder. Where there is none nobody can write here, so that the file may
        # be read as it stands; with a log full of pages that would be an old state, and the error is the truth.
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
    """Whether the file, or the folder it would lie in, may be written; SQLite needs both for its log."""
    there = next((place for place in (path, *path.parents) if place.exists()), path)
    return os.access(there, os.W_OK) and (not path.exists() or os.access(path.parent, os.W_OK))


def open_or_create(path: Path, *, patience: float, after: schema.After) -> None:
    """Make the database when it is missing, grow it when it is older; touch nothing when it is newer or not ours.

    Raises:
        Fault: CONFLICT for a newer version or another program's database.
        apsw.Error, OSError: the caller turns them into faults.
    """
    prepare_folder(path)
    db = open_connection(path, read_only=False, patience=patience)
    try:
        if not _is_current(db, path):
            db.execute("BEGIN IMMEDIATE")
            if not _is_current(db, path):  # another process may have been faster
                schema.create_schema(db) if schema.read_version(db) == 0 else schema.migrate_schema(db, after)
            db.execute("COMMIT")
        _enable_wal(db, patience)
    finally:
        db.close()


def _enable_wal(db: apsw.Connection, patience: float) -> None:
    """Turn the write-ahead log on, so that readers and the writer do not wait for each other.

    SQLite does not wait for locks here by itself, so that two processes that begin at once must be told to.
    """
    end = time.monotonic() + patience
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
            f'the memory "{path}" has version {found}, and this Aurora knows versions up to {schema.VERSION}',
            help="install a newer Aurora (`pip install --upgrade aurora-workflows`), or set AURORA_DB to another file",
            details={"path": str(path), "found": found, "known": schema.VERSION},
        )
    return found == schema.VERSION


def _is_foreign(db: apsw.Connection, version: int) -> bool:
    if db.pragma("application_id") == schema.APPLICATION_ID:
        return False
    return version > 0 or bool(db.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchall())


def check_readable(db: apsw.Connection, path: Path) -> bool:
    """Whether a database opened to be read has this version's tables.

    Returns:
        False for a file that is still empty, which then counts as an empty memory.

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
        f'the memory "{path}" has version {found} and must grow to {schema.VERSION} before it can be read',
        help="run `aur mem stats` once without READ_ONLY=1",
        details={"path": str(path), "found": found, "known": schema.VERSION},
    )
