"""The store: one database file, connections lent to whoever needs one, every write a whole transaction."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

import apsw

from ..faults import Code, Fault
from . import schema
from .store_faults import not_writable, opened_read_only, spoken
from .store_open import check_to_read, connect, establish, inspect, writable

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PATIENCE = 5.0
"""Seconds to wait for another process's lock."""


class Store:
    """An open database; safe from several threads, each of which borrows a connection for as long as it needs it.

    Opened read-only, an absent database is an empty memory, and nothing is created on disk.

    Raises:
        Fault: when the file cannot be opened, is damaged, newer, or not ours.
    """

    def __init__(self, path: Path, *, read_only: bool = False, patience: float = PATIENCE) -> None:
        self.path = path
        self.read_only = read_only
        self._patience = patience
        self._lock = threading.Lock()
        self._idle: list[apsw.Connection] = []
        self._closed = False
        with spoken(path):
            inspect(path)
            # A file that nobody may write is still worth searching: only a write to it is refused.
            self._sealed = path.exists() and not writable(path)
            if not read_only and not self._sealed:
                establish(path, patience=patience)
        with self.reading():
            pass  # a file that cannot be read says so now, not at the first question

    def close(self) -> None:
        """Close every connection that is not lent out; those still lent are closed when they come back."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        with spoken(self.path):
            for db in idle:
                db.close()

    @contextmanager
    def reading(self) -> Iterator[apsw.Connection]:
        """A connection inside one read transaction: everything read through it is of one moment.

        Raises:
            Fault: see `store_faults`.
        """
        with spoken(self.path):
            db = self._borrow()
            try:
                db.execute("BEGIN")
                try:
                    yield db
                finally:
                    if db.in_transaction:
                        db.execute("ROLLBACK")
            finally:
                self._give_back(db)

    @contextmanager
    def writing(self) -> Iterator[apsw.Connection]:
        """A connection inside one write transaction: committed at the end, undone when anything is raised.

        Raises:
            Fault: FORBIDDEN when opened read-only, TIMEOUT when another process holds the lock for too long.
        """
        if self.read_only:
            raise opened_read_only(self.path)
        if self._sealed:
            raise not_writable(self.path)
        with spoken(self.path):
            db = self._borrow()
            try:
                db.execute("BEGIN IMMEDIATE")
                try:
                    yield db
                    db.execute("COMMIT")
                except BaseException:
                    if db.in_transaction:
                        db.execute("ROLLBACK")
                    raise
            finally:
                self._give_back(db)

    def _borrow(self) -> apsw.Connection:
        with self._lock:
            if self._closed:
                raise Fault(Code.INTERNAL_ERROR, f'the memory "{self.path}" is closed', help="open it again")
            if self._idle:
                return self._idle.pop()
        to_read = self.read_only or self._sealed
        if to_read and not (self.path.exists() and self.path.stat().st_size):
            return _blank()
        db = connect(self.path, read_only=to_read, patience=self._patience)
        try:
            if not to_read or check_to_read(db, self.path):
                return db
        except BaseException:
            db.close()
            raise
        db.close()
        return _blank()

    def _give_back(self, db: apsw.Connection) -> None:
        with self._lock:
            # An empty stand-in is not kept: by the next question the file may be there.
            if not self._closed and db.filename:
                self._idle.append(db)
                return
        db.close()


def _blank() -> apsw.Connection:
    """An empty memory that is nowhere on disk, so that nothing else needs to know of an absent file."""
    db = apsw.Connection(":memory:")
    schema.bear(db)
    return db
