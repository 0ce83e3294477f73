"""Daemon threads that are kept for the next work: each new one begins with memory that nobody has touched yet."""

from __future__ import annotations

import os
import threading
from queue import SimpleQueue
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_IDLE = 4
"""Threads that are kept while there is nothing to do."""
IDLE_NAME = "idle"
"""What a thread is called meanwhile."""


class _WorkerThread:
    """A thread, and the work that it is given."""

    def __init__(self) -> None:
        self.tasks: SimpleQueue[tuple[Callable[[], None], str]] = SimpleQueue()
        threading.Thread(target=self._run_tasks, name=IDLE_NAME, daemon=True).start()

    def _run_tasks(self) -> None:
        this = threading.current_thread()
        while True:
            work, this.name = self.tasks.get()
            work()
            del work  # and with it all that it held
            this.name = IDLE_NAME
            if len(_idle_workers) >= MAX_IDLE:
                return
            _idle_workers.append(self)


_idle_workers: list[_WorkerThread] = []
os.register_at_fork(after_in_child=_idle_workers.clear)  # a forked process has none of its parent's threads


def start_daemon(work: Callable[[], None], name: str) -> None:
    """Run `work` in a daemon thread that bears this name meanwhile; if it raises, that thread ends with it."""
    try:
        kept = _idle_workers.pop()
    except IndexError:
        kept = _WorkerThread()
    kept.tasks.put((work, name))
