"""Connections: check the file, then open, create or migrate it."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import apsw

from aurora.faults import Code, Fault, describe_upgrade
from aurora.memory import sqlite
from aurora.memory.files import open_scratch_path, prepare_folder
from aurora.memory.sqlite import file, schema
from aurora.memory.sqlite.errors import build_damage_fault, build_foreign_fault, build_index_fault
from aurora.memory.sqlite.limits import defend_schema, limit_connection
from aurora.memory.sqlite.schema_objects import require_own_objects
from aurora.memory.sqlite.seals import register_seals

from .connection_class import Connection, is_open
from .read_only import ReadOnlyConnection, open_read_only

if TYPE_CHECKING:
    from pathlib import Path

    from aurora.memory.sqlite.migrate import DataMigrations

_CACHE_KIB = 32_000
"""KiB of a database that a connection usually keeps in memory."""
_INDEX_READS = 20
_INDEX_PAUSE = 0.005
"""Seconds between two looks at an index of the log that is too short; SQLite extends a new one in microseconds."""


def open_connection(path: Path, *, read_only: bool, busy_timeout: float, cache_kib: int | None = None) -> Connection:
    """Open a connection with Aurora's settings to a file whose schema has only Aurora's objects.

    Args:
        path: the database, created if missing unless `read_only`.
        read_only: let SQLite reject writes.
        busy_timeout: the seconds to wait for a lock.
        cache_kib: the most that it keeps of the database in memory; None for the usual.

    Raises:
        Fault: UPSTREAM_ERROR if the file contains a trigger, view, index or table that no Aurora creates.
        apsw.Error: the caller translates it to a fault.
    """
    if read_only:
        db: Connection = open_read_only(path, busy_timeout)
    else:
        _require_index(path)
        db = Connection(str(path), apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE)
    try:
        db.set_busy_timeout(round(busy_timeout * 1000))
        limit_connection(db)
        defend_schema(db)
        register_seals(db)
        if not isinstance(db, ReadOnlyConnection) or db.is_shared:  # else it does not map the index
            db.exec_trace = file.IndexGuard(path)
        db.pragma("foreign_keys", 1)
        db.pragma("secure_delete", 1)  # what is removed for a secret must not stay in free pages
        db.pragma("temp_store", "memory")
        db.pragma("mmap_size", 0)  # reading a mapped file behind its end kills the process with SIGBUS
        db.pragma("cache_size", -(cache_kib or _CACHE_KIB))
        if not read_only:
            db.pragma("synchronous", "normal")
        require_own_objects(db, path)
    except BaseException:
        db.close()
        raise
    return db


def _require_index(path: Path) -> None:
    """Raise a fault if this process has mapped an index of the log that another program truncated.

    Raises:
        Fault: UPSTREAM_ERROR; the next transaction of the store that has it open closes it.
    """
    name = str(path)
    if not is_open(name):
        return
    for _ in range(_INDEX_READS):  # SQLite creates it empty, and extends it at once
        index = file.read_state(name).log_index
        if index is None or index.size >= file.INDEX_BYTES:
            return
        time.sleep(_INDEX_PAUSE)
    raise build_index_fault(path)


def is_writable(path: Path) -> bool:
    """Check write permission of file and folder; SQLite needs both for its log."""
    existing = next((place for place in (path, *path.parents) if place.exists()), path)
    return os.access(existing, os.W_OK) and (not path.exists() or os.access(path.parent, os.W_OK))


def open_or_create(path: Path, *, busy_timeout: float, after: DataMigrations) -> None:
    """Create a missing database or migrate an older one.

    A newer database or one of another program stays as it is.

    Raises:
        Fault: CONFLICT for a newer version or another program's database, UPSTREAM_ERROR as `open_connection`.
        apsw.Error, OSError: the caller translates them.
    """
    prepare_folder(path)
    file.restrict_access(path)
    if not _has_content(path):
        _create_database(path, busy_timeout)
    db = open_connection(path, read_only=False, busy_timeout=busy_timeout)
    try:
        if not _is_current(db, path):
            db.execute("BEGIN IMMEDIATE")
            if not _is_current(db, path):  # another process may have been faster
                sqlite.migrate_schema(db, after)
                require_own_objects(db, path)
            db.execute("COMMIT")
        _enable_wal(db, busy_timeout)
    finally:
        db.close()


def _has_content(path: Path) -> bool:
    return path.exists() and path.stat().st_size > 0


def _create_database(path: Path, busy_timeout: float) -> None:
    """Create a database under another name, and give it its own when it is whole.

    So no rollback journal ever stands next to a database's final name, and a kill leaves nothing there.

    Raises:
        Fault: FORBIDDEN for an account whose state folder keeps no key.
        apsw.Error, OSError: the caller translates them.
    """
    path = path.resolve()  # a link that AURORA_DB names stays
    with open_scratch_path(path) as staged:
        file.create_private(staged)
        db = open_connection(staged, read_only=False, busy_timeout=busy_timeout)
        try:
            db.execute("BEGIN IMMEDIATE")
            schema.create_schema(db)
            db.execute("COMMIT")
            _enable_wal(db, busy_timeout)
        finally:
            db.close()
        file.write_mark(staged, path)
        with file.lock_names():
            if path.exists() and not path.stat().st_size:
                path.unlink()
            if file.take_name(staged, path):
                file.record_own(path)
            else:  # another process was faster: of this account, or of another one that shares the folder
                file.require_own(path)


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
    """Check that a database has the current version, in one snapshot of its header and its tables.

    Raises:
        Fault: CONFLICT for a newer version or another program's database, UPSTREAM_ERROR when the tables are those of
            another version than the header says.
    """
    if db.in_transaction:
        return _has_current_version(db, path)
    db.execute("BEGIN")  # else a process that migrates it meanwhile makes the two contradict each other
    try:
        return _has_current_version(db, path)
    finally:
        db.execute("ROLLBACK")


def _has_current_version(db: apsw.Connection, path: Path) -> bool:
    """Compare header and tables with the current version; see `_is_current`."""
    found = schema.read_version(db)
    is_own = db.pragma("application_id") == schema.APPLICATION_ID
    if found == schema.VERSION and is_own:
        return True
    wrong = schema.find_wrong_header(db, found)
    if wrong is not None:
        raise build_damage_fault(path, f"{wrong} in its header is wrong")
    if not is_own and (found or db.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchall()):
        raise build_foreign_fault(path)
    if found > schema.VERSION:
        raise Fault(
            Code.CONFLICT,
            f'the memory "{path}" has version {found}, and this Aurora supports versions up to {schema.VERSION}',
            help=f"install a newer Aurora ({describe_upgrade()}), or set AURORA_DB to another file; "
            "if no newer Aurora has written it, its header is damaged, and `aur mem restore` restores a backup",
            details={"path": str(path), "found": found, "known": schema.VERSION},
        )
    return False


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
