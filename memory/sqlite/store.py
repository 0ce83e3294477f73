"""The store: one database file, connections lent to whoever needs one, every write a whole transaction."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import apsw

from aurora.faults import Code, Fault, check_cancelled, guard_commit
from aurora.memory.sqlite.tables import Tables

from . import schema
from .connection import check_file, check_readable, is_writable, open_connection, open_or_create
from .errors import build_not_writable_fault, build_read_only_fault, translate_errors

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

BUSY_TIMEOUT = 5.0
"""Seconds to wait for another process's lock."""


class Store:
    """An open database; safe from several threads, each of which borrows a connection for as long as it needs it.

    Opened read-only, an absent database is an empty memory, and nothing is created on disk.

    Attributes:
        path: the database file.
        read_only: nothing is written through this store.
        epoch: counts how often the file was found to be another one, moved away, deleted or restored while we ran.

    Raises:
        Fault: when the file cannot be opened, is damaged, newer, or not ours.
    """

    def __init__(
        self, path: Path, *, after: schema.After, read_only: bool = False, patience: float = BUSY_TIMEOUT
    ) -> None:
        self.path = path
        self.read_only = read_only
        self._busy_timeout = patience
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
            pass  # a file that cannot be read says so now, not at the first question

    def close(self) -> None:
        """Close every connection that is not lent out; those still lent are closed when they come back."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        with translate_errors(self.path):
            for line in idle:
                line.db.close()

    def require_writable(self) -> None:
        """Refuse now what could not be written later.

        Raises:
            Fault: FORBIDDEN when opened read-only, or when the file may not be written.
        """
        if self.read_only:
            raise build_read_only_fault(self.path)
        if self._is_file_read_only:
            raise build_not_writable_fault(self.path)

    @contextmanager
    def begin_read(self) -> Iterator[Tables]:
        """The tables inside one read transaction: everything read through them is of one moment.

        Raises:
            Fault: see `sqlite.complaints`.
        """
        with translate_errors(self.path):
            line = self._acquire_connection()
            db = line.db
            try:
                db.execute("BEGIN")
                try:
                    self._detect_restore(db)
                    yield line.tables
                finally:
                    if db.in_transaction:
                        db.execute("ROLLBACK")
            finally:
                self._release_connection(line)

    @contextmanager
    def begin_write(self, *, wait: bool = True) -> Iterator[Tables]:
        """The tables inside one write transaction: committed at the end, undone when anything is raised.

        Args:
            wait: for another process that is writing; else that is a TIMEOUT at once.

        Raises:
            Fault: FORBIDDEN when opened read-only, TIMEOUT when another process holds the lock for too long.
        """
        self.require_writable()
        check_cancelled()
        with translate_errors(self.path):
            line = self._begin_immediate(wait=wait)
            db = line.db
            try:
                try:
                    yield line.tables
                    with guard_commit():
                        db.execute("COMMIT")
                except BaseException:
                    if db.in_transaction:
                        db.execute("ROLLBACK")
                    raise
            finally:
                self._release_connection(line)

    def _begin_immediate(self, *, wait: bool) -> _PooledConnection:
        """A connection that holds the write lock of the file that the name points at."""
        while True:
            line = self._acquire_connection()
            try:
                if self._try_lock(line, wait=wait):
                    return line
            except BaseException:
                self._release_connection(line)
                raise
            self._release_connection(line)

    def _try_lock(self, line: _PooledConnection, *, wait: bool) -> bool:
        """Whether the lock is held; not when, while we waited, the file was set aside and another took its place."""
        try:
            if not wait:
                line.db.set_busy_timeout(0)
            line.db.execute("BEGIN IMMEDIATE")
            if line.epoch == self.epoch and _read_identity(self.path) == self._identity:
                return True
            line.db.execute("ROLLBACK")
            return False
        finally:
            if not wait:
                line.db.set_busy_timeout(round(self._busy_timeout * 1000))

    @contextmanager
    def disable_mmap(self) -> Iterator[None]:
        """Meanwhile connections do not map the database into memory: what writes much of it would hold all of it."""
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
            for line in idle:
                line.db.close()

    def _open_or_create(self) -> None:
        check_file(self.path)
        # A file that nobody may write is still worth searching: only a write to it is refused.
        self._is_file_read_only = self.path.exists() and not is_writable(self.path)
        if not self.read_only and not self._is_file_read_only:
            open_or_create(self.path, patience=self._busy_timeout, after=self._after)
        self._identity = _read_identity(self.path)

    def _reopen_if_replaced(self) -> None:
        """Notice that the file was moved away or deleted: what is written belongs where the name points now."""
        if _read_identity(self.path) == self._identity:
            return
        for line in self._idle:
            line.db.close()
        self._idle.clear()
        self._open_or_create()
        self.epoch += 1

    def _detect_restore(self, db: apsw.Connection) -> None:
        """Notice that a backup was brought back: chunk numbers may now stand for other chunks."""
        rows = db.execute("SELECT CAST(value AS INTEGER) FROM facts WHERE key = 'restored'")
        restored = next((int(str(value)) for (value,) in rows), 0)
        with self._lock:
            if restored > self._restored_at:  # a reader that began before must not turn the clock back
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
        return _PooledConnection(db, Tables(db), epoch)

    def _open_connection(self) -> apsw.Connection:
        to_read = self.read_only or self._is_file_read_only
        if to_read and not (self.path.exists() and self.path.stat().st_size):
            return _create_empty_database()
        db = open_connection(self.path, read_only=to_read, patience=self._busy_timeout)
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

    def _release_connection(self, line: _PooledConnection) -> None:
        with self._lock:
            # An empty stand-in is not kept: by the next question the file may be there.
            if not self._closed and line.epoch == self.epoch and line.db.filename:
                self._idle.append(line)
                return
        line.db.close()


@dataclass(frozen=True, slots=True)
class _PooledConnection:
    """A connection, what is seen through it, and the file it leads to."""

    db: apsw.Connection
    tables: Tables
    epoch: int


def _read_identity(path: Path) -> tuple[int, int] | None:
    """What the name points at; None for nothing."""
    try:
        facts = path.stat()
    except FileNotFoundError:
        return None
    return facts.st_dev, facts.st_ino


def _create_empty_database() -> apsw.Connection:
    """An empty memory that is nowhere on disk, so that nothing else needs to know of an absent file."""
    db = apsw.Connection(":memory:")
    schema.create_schema(db)
    return db
