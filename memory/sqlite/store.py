"""Store: one database file, a connection pool, and transactions."""

from __future__ import annotations

import threading
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING

import apsw

from aurora.faults import Code, Fault, check_cancelled, guard_commit

from . import backup, schema
from .connection import check_file, check_readable, is_writable, open_connection, open_or_create
from .errors import build_not_writable_fault, build_read_only_fault, translate_errors
from .transaction import SqliteTables

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from aurora.memory.model import Backup

    from .migrate import DataMigrations

BUSY_TIMEOUT = 5.0
"""Seconds to wait for a lock of another process."""


class SqliteStore:
    """Open SQLite database with a connection pool; implements `memory.storage.Store`.

    A missing database opened read-only is an empty memory, and no file is created.

    Attributes:
        path: the database file.
        read_only: the store rejects writes.
        epoch: counts how often the file was moved, deleted, replaced or restored since the store was opened.

    Raises:
        Fault: the file cannot be opened, is damaged, newer, or of another program.
    """

    def __init__(
        self, path: Path, *, after: DataMigrations, read_only: bool = False, busy_timeout: float = BUSY_TIMEOUT
    ) -> None:
        self.path = path
        self.read_only = read_only
        self._busy_timeout = busy_timeout
        self._after = after
        self._lock = threading.Lock()
        self._idle: list[_PooledConnection] = []
        self._closed = False
        self.epoch = 0
        self._restored_at = -1
        self._uses_mmap = True
        with translate_errors(path):
            self._open_or_create()
        with self.begin_read():
            pass  # an unreadable file fails now, not at the first query

    @property
    def schema_version(self) -> int:
        """Version of the schema."""
        return schema.VERSION

    def create_backup(self, reason: str) -> Backup:
        """Copy the database to its backups; `reason` has lower-case letters, digits and "-"."""
        return backup.create_backup(self.path, reason=reason)

    def close(self) -> None:
        """Close all idle connections; borrowed ones close on release."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        with translate_errors(self.path):
            for pooled in idle:
                pooled.db.close()

    def require_writable(self) -> None:
        """Raise a fault if a write is not possible.

        Raises:
            Fault: FORBIDDEN if the store or the file is read-only.
        """
        if self.read_only:
            raise build_read_only_fault(self.path)
        if self._is_file_read_only:
            raise build_not_writable_fault(self.path)

    @contextmanager
    def begin_read(self) -> Iterator[SqliteTables]:
        """Begin a read transaction; all reads see one snapshot.

        Raises:
            Fault: see `sqlite.errors`.
        """
        with translate_errors(self.path):
            pooled = self._acquire_connection()
            db = pooled.db
            try:
                db.execute("BEGIN")
                try:
                    self._detect_restore(db)
                    yield pooled.tables
                finally:
                    if db.in_transaction:
                        db.execute("ROLLBACK")
            finally:
                self._release_connection(pooled)

    @contextmanager
    def begin_write(self, *, wait: bool = True) -> Iterator[SqliteTables]:
        """Begin a write transaction; commit at the end, roll back on an error.

        Args:
            wait: wait for another writer; else raise TIMEOUT at once.

        Raises:
            Fault: FORBIDDEN if it is read-only, TIMEOUT if another process keeps the lock for too long.
        """
        self.require_writable()
        check_cancelled()
        with translate_errors(self.path):
            pooled = self._begin_immediate(wait=wait)
            db = pooled.db
            try:
                try:
                    written = db.total_changes()
                    yield pooled.tables
                    # A transaction that wrote no row leaves no change for a cancelled call to report.
                    with guard_commit() if db.total_changes() != written else nullcontext():
                        db.execute("COMMIT")
                except BaseException:
                    if db.in_transaction:
                        db.execute("ROLLBACK")
                    raise
            finally:
                self._release_connection(pooled)

    def _begin_immediate(self, *, wait: bool) -> _PooledConnection:
        """Acquire a connection with the write lock of the current file."""
        while True:
            pooled = self._acquire_connection()
            try:
                if self._try_lock(pooled, wait=wait):
                    return pooled
            except BaseException:
                self._release_connection(pooled)
                raise
            self._release_connection(pooled)

    def _try_lock(self, pooled: _PooledConnection, *, wait: bool) -> bool:
        """Lock the database; return False if the file was replaced meanwhile."""
        try:
            if not wait:
                pooled.db.set_busy_timeout(0)
            pooled.db.execute("BEGIN IMMEDIATE")
            if pooled.epoch == self.epoch and _read_identity(self.path) == self._identity:
                return True
            pooled.db.execute("ROLLBACK")
            return False
        finally:
            if not wait:
                pooled.db.set_busy_timeout(round(self._busy_timeout * 1000))

    @contextmanager
    def disable_mmap(self) -> Iterator[None]:
        """Disable memory mapping, so that a large write does not fill the memory."""
        self._set_mmap(wanted=False)
        try:
            yield
        finally:
            self._set_mmap(wanted=True)

    def _set_mmap(self, *, wanted: bool) -> None:
        with self._lock:
            self._uses_mmap = wanted
            idle, self._idle = self._idle, []
        with translate_errors(self.path):
            for pooled in idle:
                pooled.db.close()

    def _open_or_create(self) -> None:
        check_file(self.path)
        # A file without write permission can still be searched; only writes fail.
        self._is_file_read_only = self.path.exists() and not is_writable(self.path)
        if not self.read_only and not self._is_file_read_only:
            open_or_create(self.path, busy_timeout=self._busy_timeout, after=self._after)
        self._identity = _read_identity(self.path)

    def _reopen_if_replaced(self) -> None:
        """Reopen the database if its file was moved, deleted or replaced."""
        if _read_identity(self.path) == self._identity:
            return
        for pooled in self._idle:
            pooled.db.close()
        self._idle.clear()
        self._open_or_create()
        self.epoch += 1

    def _detect_restore(self, db: apsw.Connection) -> None:
        """Detect a restored backup, after which chunk numbers have new meanings."""
        rows = db.execute("SELECT CAST(value AS INTEGER) FROM facts WHERE key = 'restored'")
        restored = next((int(str(value)) for (value,) in rows), 0)
        with self._lock:
            if restored > self._restored_at:  # a reader that began earlier must not decrease it
                self.epoch += self._restored_at >= 0
                self._restored_at = restored

    def _acquire_connection(self) -> _PooledConnection:
        with self._lock:
            if self._closed:
                raise Fault(Code.INTERNAL_ERROR, f'the memory "{self.path}" is closed', help="open it again")
            self._reopen_if_replaced()
            if self._idle:
                return self._idle.pop()
            epoch = self.epoch
        db = self._open_connection()
        return _PooledConnection(db, SqliteTables(db), epoch)

    def _open_connection(self) -> apsw.Connection:
        to_read = self.read_only or self._is_file_read_only
        if to_read and not (self.path.exists() and self.path.stat().st_size):
            return _create_empty_database()
        db = open_connection(self.path, read_only=to_read, busy_timeout=self._busy_timeout)
        try:
            if not self._uses_mmap:
                db.pragma("mmap_size", 0)
            if not to_read or check_readable(db, self.path):
                return db
        except BaseException:
            db.close()
            raise
        db.close()
        return _create_empty_database()

    def _release_connection(self, pooled: _PooledConnection) -> None:
        with self._lock:
            # A placeholder is not pooled: the file may exist by the next query.
            if not self._closed and pooled.epoch == self.epoch and pooled.db.filename:
                self._idle.append(pooled)
                return
        pooled.db.close()


@dataclass(frozen=True, slots=True)
class _PooledConnection:
    """Pooled connection, its tables, and the epoch of its file."""

    db: apsw.Connection
    tables: SqliteTables
    epoch: int


def _read_identity(path: Path) -> tuple[int, int] | None:
    """Return device and inode of the path; None if it does not exist."""
    try:
        facts = path.stat()
    except FileNotFoundError:
        return None
    return facts.st_dev, facts.st_ino


def _create_empty_database() -> apsw.Connection:
    """Create an empty database in memory in place of an absent file."""
    db = apsw.Connection(":memory:")
    schema.create_schema(db)
    return db
