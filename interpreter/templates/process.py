"""Handle of the worker processes: start them, send requests, and kill one that works for too long."""

from __future__ import annotations

import atexit
import contextlib
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import IO, cast

from aurora.faults import check_cancelled

from .worker import MEMORY_MESSAGE, READY, read_message, write_message

MAX_SECONDS = 2.0
"""Seconds of one request; the templates that are shipped take some milliseconds."""
START_SECONDS = 30.0
"""Seconds in which a worker must start; some 0.05 on an idle machine."""
MAX_WORKERS = 2
"""Workers of one process, busy and idle; more requests wait."""

_SLICE_SECONDS = 0.05
"""Seconds between two looks at the cancellation of the call."""
_SIGNALS_OF_TIME = {24}  # SIGXCPU
_SIGNALS_OF_MEMORY = {6, 9}  # SIGABRT: an allocation failed; SIGKILL: the system was out of memory

# The worker loads this checkout or installation of Aurora, whatever its folder is called, and the template library from
# where this process has it; isolated from the current folder, the environment and the packages of the user.
_BOOTSTRAP = """
import sys
from importlib.util import module_from_spec, spec_from_file_location
root, library = sys.argv[1:]
sys.path.append(library)
spec = spec_from_file_location("aurora", root + "/__init__.py", submodule_search_locations=[root])
sys.modules["aurora"] = module_from_spec(spec)
spec.loader.exec_module(sys.modules["aurora"])
from aurora.interpreter.templates.worker import run_worker
run_worker()
"""
_ROOT = Path(__file__).resolve().parents[2]
_KEPT_VARIABLES = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "PATH", "SYSTEMROOT")


class WorkerStartError(Exception):
    """A worker that did not start; the message says why."""


class WorkerStoppedError(Exception):
    """A worker that was stopped, or ended, before its response; the message says why."""


class _Worker:
    """One process, and the thread that writes to it and reads from it."""

    def __init__(self, library: Path) -> None:
        self._process = subprocess.Popen(  # noqa: S603 - this Python, with a constant program
            [sys.executable, "-I", "-S", "-c", _BOOTSTRAP, str(_ROOT), str(library)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=_ROOT,
            env={name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ},
        )
        # Both are pipes; the types of `Popen` do not say so.
        self._stdin = cast("IO[bytes]", self._process.stdin)
        self._stdout = cast("IO[bytes]", self._process.stdout)
        self._requests: SimpleQueue[bytes | None] = SimpleQueue()
        self._responses: SimpleQueue[bytes | None] = SimpleQueue()
        threading.Thread(target=self._exchange_messages, name="template worker", daemon=True).start()

    def _exchange_messages(self) -> None:
        """Pass messages on, in a thread of its own: a pipe can block for as long as the process works."""
        with contextlib.suppress(OSError, ValueError):  # the process ended, or its pipes were closed
            self._responses.put(read_message(self._stdout))
            while (request := self._requests.get()) is not None:
                write_message(self._stdin, request)
                self._responses.put(read_message(self._stdout))
        self._responses.put(None)

    def wait_ready(self) -> None:
        """Wait for the first message.

        Raises:
            WorkerStartError: the process did not start.
        """
        try:
            first = self._wait_response(START_SECONDS)
        except WorkerStoppedError:
            first = None
        if first != READY:
            raise WorkerStartError("that process does not start")

    def send_request(self, request: bytes, seconds: float) -> bytes:
        """Send a request and return the response.

        Raises:
            WorkerStoppedError: the process ended, or was killed because it took longer than `seconds`.
            Cancelled: the call was cancelled; the process was killed.
        """
        self._requests.put(request)
        response = self._wait_response(seconds)
        if response is None:
            raise WorkerStoppedError(self._explain_end())
        return response

    def _wait_response(self, seconds: float) -> bytes | None:
        deadline = time.monotonic() + seconds
        while True:
            with contextlib.suppress(Empty):
                return self._responses.get(timeout=_SLICE_SECONDS)
            check_cancelled()
            if time.monotonic() > deadline:
                raise WorkerStoppedError(f"it works for more than {seconds:g} seconds")

    def _explain_end(self) -> str:
        with contextlib.suppress(subprocess.TimeoutExpired):
            code = -self._process.wait(timeout=1)
            if code in _SIGNALS_OF_TIME:
                return f"it works for more than {MAX_SECONDS:g} seconds"
            if code in _SIGNALS_OF_MEMORY:
                return MEMORY_MESSAGE
            return f"the template library failed on it (signal {code})" if code > 0 else "its process ended"
        return "its process ended"

    def is_alive(self) -> bool:
        """Check that the process has not ended."""
        return self._process.poll() is None

    def stop(self) -> None:
        """Kill the process, and close its pipes."""
        self._process.kill()
        self._requests.put(None)
        self._process.wait()
        for pipe in (self._stdin, self._stdout):
            with contextlib.suppress(OSError, ValueError):  # the unwritten rest has no reader
                pipe.close()


_idle: list[_Worker] = []
_slots = threading.BoundedSemaphore(MAX_WORKERS)
os.register_at_fork(after_in_child=_idle.clear)  # a forked process must not read the responses of its parent


def send_to_worker(request: bytes, library: Path) -> bytes:
    """Send a request to an idle worker, or to a new one, and return the response.

    Args:
        request: the message.
        library: the folder from which the worker imports the template library.

    Raises:
        WorkerStartError: no worker can be started.
        WorkerStoppedError: the work took too long, needed too much memory, or ended the process.
        Cancelled: the call was cancelled.
    """
    while not _slots.acquire(timeout=_SLICE_SECONDS):
        check_cancelled()
    try:
        return _send_request(request, library)
    finally:
        _slots.release()


def _send_request(request: bytes, library: Path) -> bytes:
    worker = _take_worker(library)
    try:
        response = worker.send_request(request, MAX_SECONDS)
    except BaseException:  # of any kind: also when the person interrupts the wait
        worker.stop()
        raise
    _idle.append(worker)
    return response


def _take_worker(library: Path) -> _Worker:
    with contextlib.suppress(IndexError):  # none is idle
        while True:
            worker = _idle.pop()
            if worker.is_alive():
                return worker
            worker.stop()
    try:
        worker = _Worker(library)
    except OSError as error:
        raise WorkerStartError(f"that process cannot be started: {error}") from None
    try:
        worker.wait_ready()
    except BaseException:
        worker.stop()
        raise
    return worker


@atexit.register
def stop_workers() -> None:
    """Stop the idle workers."""
    while _idle:
        _idle.pop().stop()
