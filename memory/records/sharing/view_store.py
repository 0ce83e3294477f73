"""Store of a linked worktree: its own index, and the records of the repository."""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from aurora.faults import Code, Fault

from .merge import merge_records

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.memory.model import Backup
    from aurora.memory.storage import Store, Tables

_VERSION = "records_version"
_RETRY_SECONDS = 10.0
"""Seconds after a failed merge until the next transaction tries again."""
_POSTPONED = frozenset({Code.TIMEOUT, Code.FORBIDDEN})

_Versions = tuple[str | None, str | None, int, int]
"""Versions of the records in both databases, and the epochs of both stores."""


class ViewStore:
    """Database of a linked worktree with the shared records; implements `storage.Store`.

    A transaction first applies what other worktrees changed, and applies what it changed itself to the shared database.

    Attributes:
        path: the database file of the view.
        read_only: the store rejects writes.
        server: as that of the view.
        shared: the database with the records and runs of the repository.
    """

    def __init__(self, view: Store, shared: Store) -> None:
        self._view = view
        self.shared = shared
        self.path = view.path
        self.read_only = view.read_only
        self.server = view.server
        self._lock = threading.Lock()
        self._local = threading.local()
        self._merged: _Versions | None = None
        self._next_try = 0.0

    @property
    def epoch(self) -> int:
        """Number of times that the view was replaced since the store was opened."""
        return self._view.epoch

    @property
    def schema_version(self) -> int:
        """Version of the schema."""
        return self._view.schema_version

    def close(self) -> None:
        """Close both databases."""
        self._view.close()
        self.shared.close()

    def require_writable(self) -> None:
        """Raise a fault if a write is not possible.

        Raises:
            Fault: FORBIDDEN if the store or a file is read-only.
        """
        self._view.require_writable()

    def create_backup(self, reason: str) -> Backup | None:
        """Copy the shared database, with all records, to its backups."""
        return self.shared.create_backup(reason)

    @contextmanager
    def begin_read(self) -> Iterator[Tables]:
        """Begin a read transaction of the view, with the current records."""
        self._merge_if_changed()
        with self._enter(), self._view.begin_read() as db:
            yield db

    @contextmanager
    def begin_write(self, *, wait: bool = True, run: str | None = None) -> Iterator[Tables]:
        """Begin a write transaction of the view.

        If it changes records, the shared database gets them first: a kill in between loses none.

        Args:
            wait: as `storage.Store`.
            run: as `storage.Store`.

        Raises:
            Fault: as `storage.Store`; and those of the shared database, if records were changed.
        """
        if wait:
            self._merge_if_changed()
        with self._enter(), self._view.begin_write(wait=wait, run=run) as db:
            before = db.meta.get(_VERSION)
            yield db
            if db.meta.get(_VERSION) != before:
                with self.shared.begin_write(wait=wait) as shared:
                    merge_records(db, shared, writes_shared=True)

    @contextmanager
    def _enter(self) -> Iterator[None]:
        """Count the transactions of this thread: inside of one, no merge begins."""
        depth = self._get_depth()
        self._local.depth = depth + 1
        try:
            yield
        finally:
            self._local.depth = depth

    def _get_depth(self) -> int:
        """Return the number of open transactions of this thread."""
        return int(getattr(self._local, "depth", 0))

    def _merge_if_changed(self) -> None:
        """Merge the records if either database has changed, unless a merge failed a moment ago."""
        if self.read_only or self._get_depth() or self._read_versions() == self._merged:
            return
        with self._lock:
            if time.monotonic() < self._next_try or self._read_versions() == self._merged:
                return
            try:
                self._merge()
            except Fault as fault:
                if fault.code not in _POSTPONED:
                    raise
                self._next_try = time.monotonic() + _RETRY_SECONDS

    def _read_versions(self) -> _Versions:
        with self._view.begin_read() as view:
            own = view.meta.get(_VERSION)
        with self.shared.begin_read() as shared:
            other = shared.meta.get(_VERSION)
        return own, other, self._view.epoch, self.shared.epoch

    def _merge(self) -> None:
        """Merge the records; the shared database commits first, so that a kill loses no record."""
        with self._view.begin_write() as view:
            with self.shared.begin_read() as shared:
                done = merge_records(view, shared, writes_shared=False)
                other = shared.meta.get(_VERSION)
            if done is None:
                with self.shared.begin_write() as shared:
                    merge_records(view, shared, writes_shared=True)
                    other = shared.meta.get(_VERSION)
            own = view.meta.get(_VERSION)
        self._merged = (own, other, self._view.epoch, self.shared.epoch)
