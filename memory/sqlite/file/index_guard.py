"""Guard of the mapped index of the log: a read behind the end of a truncated one is a SIGBUS."""

from __future__ import annotations

import contextlib
import os
import time
from typing import TYPE_CHECKING

import apsw

from aurora.memory.sqlite.errors import build_index_fault

from .state import INDEX_BYTES, FileMark, read_mark

if TYPE_CHECKING:
    from pathlib import Path

_INTERVAL = 0.001
"""Seconds between two checks; a check takes two microseconds, and indexing runs 100,000 statements."""


class IndexGuard:
    """Check before a statement that no other program truncated the index of the log.

    A truncated index gets its length back, filled with zeros, which SQLite reads as an index to build again. The
    transaction is rolled back, since the index in memory has lost the frames before it.

    Args:
        path: the database.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._name = f"{path}-shm"
        self._next_check = 0.0
        self._seen: FileMark | None = None

    def __call__(self, caller: apsw.Cursor | apsw.Connection, sql: str, bindings: object) -> bool:
        """Check before a statement, as SQLite's trace of statements calls it.

        Raises:
            Fault: UPSTREAM_ERROR if the index was truncated; never for a rollback.
        """
        del bindings
        now = time.monotonic()
        if now >= self._next_check or sql in {"COMMIT", "ROLLBACK"}:
            self._next_check = now + _INTERVAL
            db = caller if isinstance(caller, apsw.Connection) else caller.connection
            if db.txn_state() == apsw.SQLITE_TXN_NONE:
                self._seen = None  # SQLite truncates an index that no process has mapped
            elif self._restore_length() and sql != "ROLLBACK":
                raise build_index_fault(self._path)
        return True

    def _restore_length(self) -> bool:
        """Extend a truncated index; return True if it was truncated."""
        now = read_mark(self._name)
        seen, self._seen = self._seen, now
        if now is None or (seen is not None and not seen.is_same_file(now)):
            return False
        size = max(seen.size if seen is not None else 0, INDEX_BYTES)
        if now.size >= size:
            return False
        self._seen = now._replace(size=size)
        with contextlib.suppress(OSError):
            os.truncate(self._name, size)  # by name: to open and close the file would drop its locks
        return True
