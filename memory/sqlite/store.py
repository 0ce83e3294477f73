"""Store: one database file, a connection pool, and transactions."""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, NamedTuple

import apsw

from aurora.errors import Code, Fault, check_cancelled, guard_commit
from aurora.memory.files import DATA_FOLDER, FolderIdentity
from aurora.memory.sqlite.backup.automatic import plan_backup

from . import file_state, header, owner, schema
from .connect import is_writable, open_connection, open_or_create, require_current
from .errors import (
    ChangedDatabase,
    build_log_fault,
    build_not_writable_fault,
    build_read_only_fault,
    build_replaced_fault,
    build_truncated_fault,
    translate_errors,
)
from .file_state import FileHarm
from .read_only import Connection, ReadOnlyConnection, Sibling, claim_index, register_sibling
from .session import build_tables

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from aurora.memory.model.reports import Backup
    from aurora.memory.storage.store import Tables

    from .file_state import DatabaseState, FileMark

BUSY_TIMEOUT = 5.0
"""Seconds to wait for a lock of another process."""


_INDEX_POLL_SECONDS = 0.01
"""Seconds between two looks whether the read-only connections of this process are closed."""

_LOG_HARM = frozenset({FileHarm.LOG_REMOVED, FileHarm.LOG_LOST})


class SqliteStore:
    """Open SQLite database with a connection pool; implements `memory.storage.store.Store`.

    A missing database opened read-only is an empty memory, and no file is created.

    Attributes:
        path: the database file.
        read_only: the store rejects writes.
        server: None: the database is a file.

    Raises:
        Fault: the file cannot be opened, is damaged, newer, or of another program.
    """

    def __init__(
        self,
        path: Path,
        *,
        read_only: bool = False,
        busy_timeout: float = BUSY_TIMEOUT,
        cache_kib: int | None = None,
    ) -> None:
        self.path = path
        self.read_only = read_only
        self.server: str | None = None
        self._busy_timeout = busy_timeout
        self._cache_kib = cache_kib
        self._lock = threading.Lock()
        self._pool = ConnectionPool(path)
        self._closed = False
        self._restored_at = -1
        self._is_hidden = False
        self._folder: FolderIdentity | None = None
        self._sibling = Sibling(path, lambda: self._reads_only, self._drop_connections)
        register_sibling(self._sibling)
        with translate_errors(path):
            self._open_or_create()
        with self.begin_read():
            pass  # an unreadable file fails now, not at the first query

    @property
    def epoch(self) -> int:
        """Number of times that the file was moved, deleted, replaced or restored since the store was opened."""
        return self._pool.epoch

    @property
    def schema_version(self) -> int:
        """Version of the schema."""
        return schema.VERSION

    def create_backup(self, reason: str) -> Backup:
        """Copy the database to its backups; `reason` has lower-case letters, digits and "-"."""
        from aurora.memory.sqlite.backup.backup import create_backup  # noqa: PLC0415 - a search does not load it

        return create_backup(self.path, reason=reason)

    def close(self) -> None:
        """Close all idle connections; borrowed ones close on release."""
        with translate_errors(self.path), self._lock:
            if not self._closed:
                self._closed = True
                self._pool.close()
            if self._folder is not None:
                self._folder.close()

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
    def begin_read(self) -> Iterator[Tables]:
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
                except apsw.Error:
                    self._require_unchanged(db)
                    raise
                else:
                    self._require_unchanged(db)
                finally:
                    if db.in_transaction:
                        db.execute("ROLLBACK")
            finally:
                self._release_connection(pooled)

    @contextmanager
    def begin_write(self, *, wait: bool = True, run: str | None = None) -> Iterator[Tables]:  # noqa: ARG002
        """Begin a write transaction; commit at the end, roll back on an error.

        Args:
            wait: wait for another writer; else raise TIMEOUT at once.
            run: ignored: a file has one lock.

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
                    has_written = db.total_changes() != written
                    if has_written:
                        # Before the commit: what is written to a file that was moved away would be lost without a
                        # word.
                        self._require_same_file()
                    # A transaction that wrote no row leaves no change for a cancelled call to report.
                    with guard_commit() if has_written else nullcontext():
                        db.execute("COMMIT")
                except BaseException:
                    if db.in_transaction:
                        db.execute("ROLLBACK")
                    raise
            finally:
                self._release_connection(pooled)
        if has_written:
            # Only planned here: another thread makes the copy, so that no write waits for it.
            plan_backup(self.path)

    def _begin_immediate(self, *, wait: bool) -> PooledConnection:
        """Acquire a connection with the write lock of the current file."""
        deadline = time.monotonic() + self._busy_timeout
        while True:
            pooled = self._acquire_connection()
            try:
                if self._try_lock(pooled, wait=wait):
                    return pooled
            except apsw.ReadOnlyError:
                self._drop_connections()
                self._release_connection(pooled)
                if not claim_index(self.path) or time.monotonic() > deadline:
                    raise
                check_cancelled()
                time.sleep(_INDEX_POLL_SECONDS)
                continue
            except BaseException:
                self._release_connection(pooled)
                raise
            self._release_connection(pooled)

    def _drop_connections(self) -> None:
        """Close the idle connections, and those in use when they come back."""
        with self._lock:
            self._pool.begin_epoch()

    def _try_lock(self, pooled: PooledConnection, *, wait: bool) -> bool:
        """Lock the database; return False if the file was replaced meanwhile."""
        try:
            if not wait:
                pooled.db.set_busy_timeout(0)
            pooled.db.execute("BEGIN IMMEDIATE")
        except apsw.IOError:
            if self._pool.is_same_file():
                raise
            return False  # the log was moved with its database
        finally:
            if not wait:
                pooled.db.set_busy_timeout(round(self._busy_timeout * 1000))
        if pooled.epoch == self.epoch and self._pool.is_same_file():
            return True
        pooled.db.execute("ROLLBACK")
        return False

    def _require_unchanged(self, db: apsw.Connection) -> None:
        """Raise a fault if what a connection without locks has read was changed meanwhile."""
        if isinstance(db, ReadOnlyConnection) and not db.is_shared and not db.is_current(self.path):
            raise ChangedDatabase(self.path)

    def _require_same_file(self) -> None:
        """Raise a fault if the project or the database was moved or replaced during the transaction."""
        if self._folder is not None:
            self._folder.require_same()
        if not self._pool.is_same_file():
            raise build_replaced_fault(self.path)

    def _open_or_create(self) -> None:
        # A file without write permission can still be searched; only writes fail.
        self._is_file_read_only = self.path.exists() and not is_writable(self.path)
        self._is_hidden = not owner.settle_files(self.path, moves=not self._reads_only)
        if self._is_hidden:
            return
        header.check_file(self.path)
        if not self.read_only and not self._is_file_read_only:
            open_or_create(self.path, busy_timeout=self._busy_timeout)
        self._pool.identity = file_state.read_mark(str(self.path))
        if self._folder is None:
            self._folder = _identify_project(self.path)

    def _check_files(self) -> None:
        """Open the database again if its file was moved, deleted or replaced.

        Raises:
            Fault: the project was moved, or another program truncated the database or its log.
        """
        if self._folder is not None:
            self._folder.require_same()
        harm = self._pool.find_change() if self._pool.is_same_file() and not self._reads_only else None
        if harm in _LOG_HARM:
            from aurora.memory.sqlite.backup.lock import wait_for_repair  # noqa: PLC0415 - a search does not load it

            wait_for_repair(self.path)  # it moves the log before the database
        if not self._pool.is_same_file():
            self._open_replaced()
        elif harm is not None and (harm is not FileHarm.SHRUNK or self._is_truncated()):
            self._pool.begin_epoch(saves_log=harm is FileHarm.LOG_REMOVED)
            self._report_harm(harm)
            self._open_or_create()

    def _open_replaced(self) -> None:
        """Open the file that replaced the database, without the log of the former one."""
        seen = self._pool.begin_epoch()
        if seen is not None and not self._reads_only:
            file_state.set_log_aside(self.path, seen)
        self._open_or_create()

    def _report_harm(self, harm: FileHarm) -> None:
        """Raise the fault of lost content; the next transaction opens the file again."""
        if harm in _LOG_HARM:
            raise build_log_fault(self.path)
        if harm is FileHarm.SHRUNK:
            raise build_truncated_fault(self.path)

    def _is_truncated(self) -> bool:
        """Return True unless a smaller backup was restored, whose header has as many pages as the file."""
        head = header.DatabaseHeader(header.read_header(self.path))
        return not head.body or self.path.stat().st_size < head.page_size * head.page_count

    def _detect_restore(self, db: apsw.Connection) -> None:
        """Detect a restored backup, after which chunk numbers have new meanings."""
        rows = db.execute("SELECT CAST(value AS INTEGER) FROM facts WHERE key = 'restored'")
        restored = next((int(str(value)) for (value,) in rows), 0)
        with self._lock:
            if restored > self._restored_at:  # a reader that began earlier must not decrease it
                # The first look tells only what the file was opened with.
                self._pool.epoch += self._restored_at >= 0
                self._restored_at = restored

    def _acquire_connection(self) -> PooledConnection:
        with self._lock:
            if self._closed:
                raise Fault(Code.INTERNAL_ERROR, f'the memory "{self.path}" is closed', help="open it again")
            self._check_files()
            while (idle := self._pool.take()) is not None:
                if not isinstance(idle.db, ReadOnlyConnection) or idle.db.is_current(self.path):
                    return idle
                self._pool.give_back(idle, is_kept=False)
            # Taken under the lock: a file that is replaced while the connection opens makes it one of a former epoch.
            epoch = self._pool.epoch
        db = self._open_connection()
        with self._lock:
            self._pool.count_open()
        return PooledConnection(db, build_tables(db), epoch)

    @property
    def _reads_only(self) -> bool:
        """True when the file is opened read-only: the caller wants that, or its rights."""
        return self.read_only or self._is_file_read_only

    def _open_connection(self) -> Connection:
        to_read = self._reads_only
        if to_read and (self._is_hidden or not (self.path.exists() and self.path.stat().st_size)):
            return _create_empty_database()
        db = open_connection(self.path, read_only=to_read, busy_timeout=self._busy_timeout, cache_kib=self._cache_kib)
        try:
            if to_read:
                require_current(db, self.path)
        except BaseException:
            db.close()
            raise
        return db

    def _release_connection(self, pooled: PooledConnection) -> None:
        with self._lock:
            # A placeholder is not kept: the file may exist by the next query.
            self._pool.give_back(pooled, is_kept=not self._closed and not _is_placeholder(pooled))


def _is_placeholder(pooled: PooledConnection) -> bool:
    """Return True for the empty database in place of an absent file."""
    return not pooled.db.filename and not isinstance(pooled.db, ReadOnlyConnection)


def _identify_project(database: Path) -> FolderIdentity | None:
    """Identify the project's folder, or the folder of a database elsewhere; None if it does not exist yet."""
    folder = database.parent.parent if database.parent.name == DATA_FOLDER else database.parent
    try:
        return FolderIdentity(folder)
    except FileNotFoundError:
        return None


def _create_empty_database() -> Connection:
    """Create an empty database in memory in place of an absent file."""
    db = Connection(":memory:", apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE)
    schema.create_schema(db)
    return db


class PooledConnection(NamedTuple):
    """Pooled connection, its tables, and the epoch of its file."""

    db: Connection
    tables: Tables
    epoch: int


class ConnectionPool:
    """Idle connections, and the state of the files that they have open; the caller locks it.

    Args:
        path: the database file.

    Attributes:
        epoch: counts how often the file was moved, deleted, replaced or restored.
        identity: the mark of the file that the connections have open; None for a missing one.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._name = str(path)
        self._idle: list[PooledConnection] = []
        self._open_count = 0
        self._seen: DatabaseState | None = None
        self.epoch = 0
        self.identity: FileMark | None = None

    def find_change(self) -> FileHarm | None:
        """Find what another program did to the files since the last use; None without harm or connections."""
        if self._seen is None:
            return None
        now = file_state.read_state(self._name)
        harm = file_state.find_harm(self._seen, now)
        if harm is None:
            self._seen = now
        return harm

    def is_same_file(self) -> bool:
        """Return True while the path leads to the file that the connections have open."""
        now = file_state.read_mark(self._name)
        return now is None if self.identity is None else self.identity.is_same_file(now)

    def take(self) -> PooledConnection | None:
        """Take an idle connection; None if there is none."""
        # The last one that was used, whose cache is warm.
        return self._idle.pop() if self._idle else None

    def count_open(self) -> None:
        """Count a connection that was opened, which comes back through `give_back`."""
        self._open_count += 1

    def give_back(self, pooled: PooledConnection, *, is_kept: bool) -> None:
        """Take a connection back; close it if it is of a former file or `is_kept` is False."""
        if is_kept and pooled.epoch == self.epoch:
            if self._seen is None:
                self._seen = file_state.read_state(self._name)
            else:
                self.find_change()  # counts the growth of the log; harm is for the next transaction to report
            self._idle.append(pooled)
        else:
            self._close(pooled)

    def begin_epoch(self, *, saves_log: bool = False) -> DatabaseState | None:
        """Drop all connections, so that the next transaction opens the file again.

        Args:
            saves_log: let the last connection copy the log into the database. That reads the log's index in memory,
                which must not have lost its file.

        Returns:
            The last state of the files, if a connection was open.
        """
        seen = self._seen
        self._drop(saves_log=saves_log)
        self._seen = self.identity = None
        self.epoch += 1
        return seen

    def close(self) -> None:
        """Close the idle connections; the last one of all processes copies the log into the database."""
        is_intact = self.is_same_file() and self.find_change() in {None, FileHarm.LOG_REMOVED}
        self._drop(saves_log=is_intact)

    def _drop(self, *, saves_log: bool) -> None:
        idle, self._idle = self._idle, []
        for pooled in idle:
            if not saves_log:
                # Otherwise the last connection would copy a log into a database that it may not belong to any more.
                pooled.db.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
            self._close(pooled)

    def _close(self, pooled: PooledConnection) -> None:
        self._open_count -= 1
        if not self._open_count:
            self._seen = None
        pooled.db.close()
