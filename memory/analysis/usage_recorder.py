"""Noting that chunks were read, without ever making the reader wait or fail for it."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

from aurora.faults import Fault

from .usage import write_uses

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aurora.memory.sqlite import Store

_MAX_PENDING = 10_000
"""Uses that wait for a chance to be written; beyond them a process has other worries."""


class UsageRecorder:
    """The uses that were not written yet; safe from several threads.

    While another process writes for long (an index of a large project), they wait here for the next use or the end.

    Args:
        store: where to; nothing is kept for one that may not be written.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._pending: list[tuple[str, float]] = []

    def record(self, ids: Sequence[str]) -> None:
        """These chunks were read now."""
        if self._store.read_only or not ids:
            return
        now = time.time()
        with self._lock:
            self._pending += [(id_, now) for id_ in ids]
            del self._pending[:-_MAX_PENDING]
        self.flush()

    def flush(self) -> None:
        """Write what waits, if that can be done at once."""
        with self._lock:
            waiting, self._pending = self._pending, []
        if not waiting:
            return
        try:
            with self._store.begin_write(wait=False) as db:
                write_uses(db, waiting)
        except Fault:  # busy, full or forbidden: whoever reads did not ask for a write
            with self._lock:
                self._pending = [*waiting, *self._pending][-_MAX_PENDING:]
