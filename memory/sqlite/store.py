"""The store: one database file, connections lent to whoever needs one, every write a whole transaction."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import apsw

from aurora.faults import Code, Fault
from aurora.faults.cancellation import lasting, still_wanted
from aurora.memory.sqlite.tables.all import Tables

from . import schema
from .connection import check_to_read, connect, establish, inspect, writable
from .errors import not_writable, opened_read_only, spoken

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PATIENCE = 5.0
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

    def __init__(self, path: Path, *, after: schema.After, read_only: bool = False, patience: float = PATIENCE) -> None:
        self.path = path
        self.read_only = read_only
        self._patience = patience
        self._after = after
        self._lock = threading.Lock()
        self._idle: list[_Line] = []
        self._closed = False
        self.epoch = 0
        self._restored = -1
        self._maps = True
        with spoken(path):
            self._establish()
        with self.reading():
            pass  # a file that cannot be read says so now, not at the first question

    def close(self) -> None:
        """Close every connection that is not lent out; those still lent are closed when they come back."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        with spoken(self.path):
            for line in idle:
                line.db.close()

    def demand_writable(self) -> None:
        """Refuse now what could not be written later.

        Raises:
            Fault: FORBIDDEN when opened read-only, or when the file may not be written.
        """
        if self.read_only:
            raise opened_read_only(self.path)
        if self._sealed:
            raise not_writable(self.path)

    @contextmanager
    def reading(self) -> Iterator[Tables]:
        """The tables inside one read transaction: everything read through them is of one moment.

        Raises:
            Fault: see `sqlite.complaints`.
        """
        with spoken(self.path):
            line = self._borrow()
            db = line.db
            try:
                db.execute("BEGIN")
                try:
                    self._follow_the_restored(db)
                    yield line.tables
                finally:
                    if db.in_transaction:
                        db.execute("ROLLBACK")
            finally:
                self._give_back(line)

    @contextmanager
    def writing(self, *, wait: bool = True) -> Iterator[Tables]:
        """The tables inside one write transaction: committed at the end, undone when anything is raised.

        Args:
            wait: for another process that is writing; else that is a TIMEOUT at once.

        Raises:
            Fault: FORBIDDEN when opened read-only, TIMEOUT when another process holds the lock for too long.
        """
        self.demand_writable()
        still_wanted()
        with spoken(self.path):
            line = self._begun(wait=wait)
            db = line.db
            try:
                try:
                    yield line.tables
                    with lasting():
                        db.execute("COMMIT")
                except BaseException:
                    if db.in_transaction:
                        db.execute("ROLLBACK")
                    raise
            finally:
                self._give_back(line)

    def _begun(self, *, wait: bool) -> _Line:
        """A connection that holds the write lock of the file that the name points at."""
        while True:
            line = self._borrow()
            try:
                if self._locked(line, wait=wait):
                    return line
            except BaseException:
                self._give_back(line)
                raise
            self._give_back(line)

    def _locked(self, line: _Line, *, wait: bool) -> bool:
        """Whether the lock is held; not when, while we waited, the file was set aside and another took its place."""
        try:
            if not wait:
                line.db.set_busy_timeout(0)
            line.db.execute("BEGIN IMMEDIATE")
            if line.epoch == self.epoch and _identity(self.path) == self._identity:
                return True
            line.db.execute("ROLLBACK")
            return False
        finally:
            if not wait:
                line.db.set_busy_timeout(round(self._patience * 1000))

    @contextmanager
    def unmapped(self) -> Iterator[None]:
        """Meanwhile connections do not map the database into memory: what writes much of it would hold all of it."""
        self._map(wanted=False)
        try:
            yield
        finally:
            self._map(wanted=True)

    def _map(self, *, wanted: bool) -> None:
        with self._lock:
            self._maps = wanted
            idle, self._idle = self._idle, []
        with spoken(self.path):
            for line in idle:
                line.db.close()

    def _establish(self) -> None:
        inspect(self.path)
        # A file that nobody may write is still worth searching: only a write to it is refused.
        self._sealed = self.path.exists() and not writable(self.path)
        if not self.read_only and not self._sealed:
            establish(self.path, patience=self._patience, after=self._after)
        self._identity = _identity(self.path)

    def _follow_the_name(self) -> None:
        """Notice that the file was moved away or deleted: what is written belongs where the name points now."""
        if _identity(self.path) == self._identity:
            return
        for line in self._idle:
            line.db.close()
        self._idle.clear()
        self._establish()
        self.epoch += 1

    def _follow_the_restored(self, db: apsw.Connection) -> None:
        """Notice that a backup was brought back: chunk numbers may now stand for other chunks."""
        rows = db.execute("SELECT CAST(value AS INTEGER) FROM facts WHERE key = 'restored'")
        restored = next((int(str(value)) for (value,) in rows), 0)
        with self._lock:
            if restored > self._restored:  # a reader that began before must not turn the clock back
                self.epoch += self._restored >= 0
                self._restored = restored

    def _borrow(self) -> _Line:
        with self._lock:
            if self._closed:
                raise Fault(Code.INTERNAL_ERROR, f'the memory "{self.path}" is closed', help="open it again")
            self._follow_the_name()
            if self._idle:
                return self._idle.pop()
            epoch = self.epoch
        db = self._connect()
        return _Line(db, Tables(db), epoch)

    def _connect(self) -> apsw.Connection:
        to_read = self.read_only or self._sealed
        if to_read and not (self.path.exists() and self.path.stat().st_size):
            return _blank()
        db = connect(self.path, read_only=to_read, patience=self._patience)
        try:
            if not self._maps:
                db.pragma("mmap_size", 0)
            if not to_read or check_to_read(db, self.path):
                return db
        except BaseException:
            db.close()
            raise
        db.close()
        return _blank()

    def _give_back(self, line: _Line) -> None:
        with self._lock:
            # An empty stand-in is not kept: by the next question the file may be there.
            if not self._closed and line.epoch == self.epoch and line.db.filename:
                self._idle.append(line)
                return
        line.db.close()


@dataclass(frozen=True, slots=True)
class _Line:
    """A connection, what is seen through it, and the file it leads to."""

    db: apsw.Connection
    tables: Tables
    epoch: int


def _identity(path: Path) -> tuple[int, int] | None:
    """What the name points at; None for nothing."""
    try:
        facts = path.stat()
    except FileNotFoundError:
        return None
    return facts.st_dev, facts.st_ino


def _blank() -> apsw.Connection:
    """An empty memory that is nowhere on disk, so that nothing else needs to know of an absent file."""
    db = apsw.Connection(":memory:")
    schema.bear(db)
    return db
