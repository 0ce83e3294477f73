"""Pool of daemon threads that are reused; a new thread starts with cold memory."""

from __future__ import annotations

import os
import threading
from queue import SimpleQueue
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_IDLE = 4
"""Limit for idle threads."""
IDLE_NAME = "idle"
"""Name of an idle thread."""


class _WorkerThread:
    """Thread with a queue of work."""

    def __init__(self) -> None:
        self.tasks: SimpleQueue[tuple[Callable[[], None], str]] = SimpleQueue()
        threading.Thread(target=self._run_tasks, name=IDLE_NAME, daemon=True).start()

    def _run_tasks(self) -> None:
        this = threading.current_thread()
        while True:
            work, this.name = self.tasks.get()
            work()
            del work  # and every object that it refers to
            this.name = IDLE_NAME
            if len(_idle_workers) >= MAX_IDLE:
                return
            _idle_workers.append(self)


_idle_workers: list[_WorkerThread] = []
os.register_at_fork(after_in_child=_idle_workers.clear)  # a forked process has none of its parent's threads


def start_daemon(work: Callable[[], None], name: str) -> None:
    """Run `work` in a daemon thread with this name; an exception ends the thread."""
    try:
        worker = _idle_workers.pop()
    except IndexError:
        worker = _WorkerThread()
    worker.tasks.put((work, name))
