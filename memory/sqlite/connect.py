"""Connections: check the file, then open or create it."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import apsw

from aurora.errors import Code, Fault, check_cancelled
from aurora.memory.files import open_scratch_path, prepare_folder
from aurora.memory.sqlite import file_state, header, owner, schema
from aurora.memory.sqlite.errors import build_damage_fault, build_index_fault
from aurora.system.programs import describe_upgrade

from .read_only import Connection, is_open, open_read_only

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Literal

_CACHE_KIB = 32_000
"""KiB of a database that a connection usually keeps in memory."""
_MAX_VALUE_BYTES = 512 * 1024 * 1024
"""Bytes of the largest row: the packed graph, some 50 bytes for each chunk, of ten million chunks."""
_PROGRESS_STEPS = 100_000
"""Instructions of SQLite's virtual machine between two checks for cancellation, about a millisecond."""
_INDEX_READS = 20
_INDEX_PAUSE = 0.005
"""Seconds between two looks at an index of the log that is too short; SQLite extends a new one in microseconds."""


def open_connection(path: Path, *, read_only: bool, busy_timeout: float, cache_kib: int | None = None) -> Connection:
    """Open a connection with Aurora's settings.

    Args:
        path: the database, created if missing unless `read_only`.
        read_only: let SQLite reject writes.
        busy_timeout: the seconds to wait for a lock.
        cache_kib: the most that it keeps of the database in memory; None for the usual.

    Raises:
        Fault: UPSTREAM_ERROR if another program truncated the index of the log, which this process has mapped.
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
        db.pragma("foreign_keys", 1)
        db.pragma("secure_delete", 1)  # what is removed for a secret must not stay in free pages
        db.pragma("temp_store", "memory")
        db.pragma("mmap_size", 0)  # reading a mapped file behind its end kills the process with SIGBUS
        db.pragma("cache_size", -(cache_kib or _CACHE_KIB))
        if not read_only:
            db.pragma("synchronous", "normal")
    except BaseException:
        db.close()
        raise
    return db


def limit_connection(db: apsw.Connection) -> None:
    """Limit the work and the memory of statements, and stop them when the call is cancelled.

    No view is read, and the schema of the file calls no function that does more than compute.
    """
    db.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
    db.config(apsw.SQLITE_DBCONFIG_ENABLE_VIEW, 0)
    db.limit(apsw.SQLITE_LIMIT_LENGTH, _MAX_VALUE_BYTES)
    # A statement runs in C and sees no exception of Python's; the handler is where it can be stopped.
    db.set_progress_handler(_stop_when_cancelled, _PROGRESS_STEPS)


def defend_schema(db: apsw.Connection) -> None:
    """Reject statements that write the file's schema or other parts of it as rows."""
    db.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)


def _stop_when_cancelled() -> Literal[False]:
    """Continue a statement while its call is not cancelled.

    Raises:
        Cancelled: the call is cancelled; the statement ends with this error.
    """
    check_cancelled()
    return False


def _require_index(path: Path) -> None:
    """Raise a fault if this process has mapped an index of the log that another program truncated.

    Raises:
        Fault: UPSTREAM_ERROR; the next transaction of the store that has it open closes it.
    """
    name = str(path)
    if not is_open(name):
        return
    for _ in range(_INDEX_READS):  # SQLite creates it empty, and extends it at once
        index = file_state.read_state(name).log_index
        if index is None or index.size >= file_state.INDEX_BYTES:
            return
        time.sleep(_INDEX_PAUSE)
    raise build_index_fault(path)


def is_writable(path: Path) -> bool:
    """Check write permission of file and folder; SQLite needs both for its log."""
    existing = next((place for place in (path, *path.parents) if place.exists()), path)
    return os.access(existing, os.W_OK) and (not path.exists() or os.access(path.parent, os.W_OK))


def open_or_create(path: Path, *, busy_timeout: float) -> None:
    """Create a missing database, or check the version of an existing one.

    Raises:
        Fault: CONFLICT for a newer version, UPSTREAM_ERROR for a damaged header.
        apsw.Error, OSError: the caller translates them.
    """
    prepare_folder(path)
    if not _has_content(path):
        _create_database(path, busy_timeout)
    db = open_connection(path, read_only=False, busy_timeout=busy_timeout)
    try:
        require_current(db, path)
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
        header.create_private(staged)
        db = open_connection(staged, read_only=False, busy_timeout=busy_timeout)
        try:
            db.execute("BEGIN IMMEDIATE")
            schema.create_schema(db)
            db.execute("COMMIT")
            _enable_wal(db, busy_timeout)
        finally:
            db.close()
        # Before the file has its name, so that none stands there without the mark of its account.
        owner.write_mark(staged, path)
        with owner.lock_names():
            # A file without content is one that another program made, such as `touch`, and holds nothing.
            if path.exists() and not path.stat().st_size:
                path.unlink()
            if owner.take_name(staged, path):
                owner.record_own(path)
            else:  # another process was faster: of this account, or of another one that shares the folder
                owner.require_own(path)


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


def require_current(db: apsw.Connection, path: Path) -> None:
    """Require that a database has the version of this Aurora.

    It bears the mark of this account, so another application id is damage. An older version is one that was never
    released: `aur mem repair` takes the facts, patterns and runs from it as from any file that cannot be opened.

    Raises:
        Fault: CONFLICT for a newer version, UPSTREAM_ERROR for another one, or a wrong application id.
    """
    found = schema.read_version(db)
    if db.pragma("application_id") != schema.APPLICATION_ID:
        raise build_damage_fault(path, "the application id in its header is wrong")
    if schema.VERSION < found <= schema.MAX_VERSION:
        raise Fault(
            Code.CONFLICT,
            f'the memory "{path}" has version {found}, and this Aurora supports version {schema.VERSION}',
            help=f"install a newer Aurora ({describe_upgrade()}), or set AURORA_DB to another file; "
            "if no newer Aurora has written it, its header is damaged, and `aur mem restore` restores a backup",
            details={"path": str(path), "found": found, "known": schema.VERSION},
        )
    if found != schema.VERSION:
        raise build_damage_fault(path, "the version in its header is wrong")
