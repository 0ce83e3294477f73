"""Recorder of chunk uses that never blocks or fails its caller."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

from aurora.faults import Fault

from .usage import write_uses

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aurora.memory.storage import Store

_MAX_PENDING = 10_000
"""Pending uses at most; the oldest are dropped."""


class UsageRecorder:
    """Buffer of uses that are not written yet; thread-safe.

    While another process writes for long (an index of a large project), they stay here until the next use or the end.

    Args:
        store: the database; nothing is recorded for a read-only one.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._pending: list[tuple[str, float]] = []

    def record(self, ids: Sequence[str]) -> None:
        """Record that these chunks are used now."""
        if self._store.read_only or not ids:
            return
        now = time.time()
        with self._lock:
            self._pending += [(id_, now) for id_ in ids]
            del self._pending[:-_MAX_PENDING]
        self.flush()

    def flush(self) -> None:
        """Write the pending uses if no other process holds the lock."""
        with self._lock:
            waiting, self._pending = self._pending, []
        if not waiting:
            return
        try:
            with self._store.begin_write(wait=False) as db:
                write_uses(db, waiting)
        except Fault:  # busy, full or forbidden: the caller reads and did not request a write
            with self._lock:
                self._pending = [*waiting, *self._pending][-_MAX_PENDING:]
