"""Daemon threads that are kept for the next work: each new one begins with memory that nobody has touched yet."""

from __future__ import annotations

import os
import threading
from queue import SimpleQueue
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

MOST_IDLE = 4
"""Threads that are kept while there is nothing to do."""
IDLE = "idle"
"""What a thread is called meanwhile."""


class _Kept:
    """A thread, and the work that it is given."""

    def __init__(self) -> None:
        self.given: SimpleQueue[tuple[Callable[[], None], str]] = SimpleQueue()
        threading.Thread(target=self._serve, name=IDLE, daemon=True).start()

    def _serve(self) -> None:
        this = threading.current_thread()
        while True:
            work, this.name = self.given.get()
            work()
            del work  # and with it all that it held
            this.name = IDLE
            if len(_idle) >= MOST_IDLE:
                return
            _idle.append(self)


_idle: list[_Kept] = []
os.register_at_fork(after_in_child=_idle.clear)  # a forked process has none of its parent's threads


def begin(work: Callable[[], None], name: str) -> None:
    """Run `work` in a daemon thread that bears this name meanwhile; if it raises, that thread ends with it."""
    try:
        kept = _idle.pop()
    except IndexError:
        kept = _Kept()
    kept.given.put((work, name))
