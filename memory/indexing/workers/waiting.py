"""The worker that waits a while for the next edit, so that a series of edits starts one process."""

from __future__ import annotations

import atexit
import os
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .process import Worker

IDLE_SECONDS = 60.0
"""Time after which a waiting worker ends; it has 34 MB, and starting one takes 0.2 s."""

_lock = threading.Lock()
_waiting: list[tuple[Worker, threading.Timer]] = []
"""One at most."""


def take_waiting() -> Worker | None:
    """Take the waiting worker, if there is one and it runs."""
    with _lock:
        if not _waiting:
            return None
        worker, timer = _waiting.pop()
    timer.cancel()
    if worker.is_alive():
        return worker
    worker.stop()
    return None


def keep_waiting(worker: Worker) -> None:
    """Let a worker wait for the next files; stop it when another one waits."""
    timer = threading.Timer(IDLE_SECONDS, _end, (worker,))
    timer.daemon = True
    with _lock:
        is_first = not _waiting
        if is_first:
            _waiting.append((worker, timer))
            timer.start()
    if not is_first:
        worker.stop()


def _end(worker: Worker) -> None:
    with _lock:
        is_waiting = any(one is worker for one, _ in _waiting)
        if is_waiting:
            _waiting.clear()
    if is_waiting:
        worker.stop()


def _end_at_exit() -> None:
    if worker := take_waiting():
        worker.stop()


def _forget() -> None:
    """Leave the worker to the parent of a fork."""
    global _lock  # noqa: PLW0603 - a lock that another thread held stays locked in a fork
    _lock = threading.Lock()
    _waiting.clear()


atexit.register(_end_at_exit)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
