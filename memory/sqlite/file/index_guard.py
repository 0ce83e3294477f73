"""Guard of the mapped index of the log: a read behind the end of a truncated one is a SIGBUS."""

from __future__ import annotations

import contextlib
import os
import time
from typing import TYPE_CHECKING

from aurora.memory.sqlite.errors import build_index_fault

from .state import FileMark, read_mark

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

    def __call__(self, cursor: object, sql: str, bindings: object) -> bool:
        """Check before a statement, as SQLite's trace of statements calls it.

        Raises:
            Fault: UPSTREAM_ERROR if the index was truncated; never for a rollback.
        """
        del cursor, bindings
        now = time.monotonic()
        if now >= self._next_check or sql in {"COMMIT", "ROLLBACK"}:
            self._next_check = now + _INTERVAL
            if self._restore_length() and sql != "ROLLBACK":
                raise build_index_fault(self._path)
        return True

    def _restore_length(self) -> bool:
        """Extend a truncated index; return True if it was truncated."""
        now = read_mark(self._name)
        seen, self._seen = self._seen, now
        if seen is None or now is None or not seen.is_same_file(now) or now.size >= seen.size:
            return False
        self._seen = seen
        with contextlib.suppress(OSError):
            os.truncate(self._name, seen.size)  # by name: to open and close the file would drop its locks
        return True
