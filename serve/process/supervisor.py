"""Supervisor of worker processes that share one listening socket; a worker that ends is replaced."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from aurora.faults import Code, Fault
from aurora.serve.web import FOLDER_VARIABLE

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Iterator

    from .plan import ServerPlan

_POLL_SECONDS = 0.1
_KILL_SECONDS = 10
"""Seconds after the limit of a graceful stop, until a worker is killed."""
_SHORT_LIFE = 5.0
_MAX_SHORT_LIVES = 5
"""Workers that may end within `_SHORT_LIFE` seconds, one after the other, before the server gives up."""


@dataclass(eq=False)
class _Worker:
    """Worker process, and when it was started."""

    process: subprocess.Popen[bytes]
    began: float


class Supervisor:
    """Supervisor of the workers of one server.

    Args:
        plan: of the server; a worker reads it from its standard input, which ends when this process does.
        listening: the bound socket.
    """

    def __init__(self, plan: ServerPlan, listening: socket.socket) -> None:
        self._plan = plan
        self._listening = listening
        self._workers: list[_Worker] = []
        self._stop = threading.Event()
        self._short_lives = 0

    def run(self, announce: Callable[[], None]) -> None:
        """Start the workers, replace those that end, and stop all after SIGTERM or SIGINT.

        Args:
            announce: called once the workers have been started.

        Raises:
            Fault: INVALID_INPUT on a system where processes cannot share a socket; INTERNAL_ERROR when workers end
                again and again.
        """
        if sys.platform == "win32":
            raise Fault(Code.INVALID_INPUT, "several workers need Linux or macOS", help="Use --workers 1.")
        with self._handle_signals(), tempfile.TemporaryDirectory(prefix="aurora-metrics-") as figures:
            try:
                self._workers = [self._start_worker(figures) for _ in range(self._plan.settings.workers)]
                announce()
                while not self._stop.wait(_POLL_SECONDS):
                    self._replace_ended(figures)
            finally:
                self._stop_workers()

    @contextlib.contextmanager
    def _handle_signals(self) -> Iterator[None]:
        before = {number: signal.signal(number, self._request_stop) for number in (signal.SIGTERM, signal.SIGINT)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _request_stop(self, *_given: object) -> None:
        self._stop.set()

    def _start_worker(self, figures: str) -> _Worker:
        descriptor = self._listening.fileno()
        process = subprocess.Popen(  # noqa: S603 - this interpreter with Aurora's own module
            # Not with the current folder on its path: a module there could replace one of the library.
            [sys.executable, "-P", "-m", "aurora.serve.process.worker", str(descriptor)],
            stdin=subprocess.PIPE,
            pass_fds=(descriptor,),
            env={**os.environ, FOLDER_VARIABLE: figures},
        )
        if process.stdin is not None:
            with contextlib.suppress(BrokenPipeError):  # it has ended already, and is replaced
                process.stdin.write(self._plan.model_dump_json().encode() + b"\n")
                process.stdin.flush()  # and left open: its end tells the worker that this process is gone
        return _Worker(process, time.monotonic())

    def _replace_ended(self, figures: str) -> None:
        for index, worker in enumerate(self._workers):
            code = worker.process.poll()
            if code is None:
                continue
            is_short = time.monotonic() - worker.began < _SHORT_LIFE
            self._short_lives = self._short_lives + 1 if is_short else 0
            if self._short_lives >= _MAX_SHORT_LIVES:
                message = f"the workers of the server end right after their start, the last one with {code}"
                raise Fault(Code.INTERNAL_ERROR, message, help="Their messages are above; report this as a bug.")
            sys.stderr.write(f"aur: a worker ended ({code}) and is replaced\n")
            self._workers[index] = self._start_worker(figures)

    def _stop_workers(self) -> None:
        """Send SIGTERM to all, wait for their requests to end, and kill what is left."""
        deadline = time.monotonic() + self._plan.settings.limits.stop_seconds + _KILL_SECONDS
        for worker in self._workers:
            with contextlib.suppress(ProcessLookupError):
                worker.process.terminate()
        for worker in self._workers:
            try:
                worker.process.wait(max(0.0, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                worker.process.kill()
                worker.process.wait()
