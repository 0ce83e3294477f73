"""Worker process: the parent's handle, and the messages of both ends of its pipes."""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import struct
import subprocess
import sys
import threading
from typing import IO, TYPE_CHECKING, Any, TypeVar, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ResultT = TypeVar("ResultT")

BATCH_TIMEOUT = 120.0
"""Seconds after which a worker that has not finished a batch counts as hung, and is killed."""
FILE_TIMEOUT = 20.0
"""The same for a batch of one file; the largest file that is parsed takes some seconds."""
MAX_DATA_BYTES = 1 << 30
"""Memory of a worker; the largest file of dense code takes 300 MB."""
READY_MESSAGE = "ready"
"""The first message of a worker."""

_MALLOC_SETTINGS = {
    "MALLOC_TRIM_THRESHOLD_": str(32 << 20),
    "MALLOC_MMAP_THRESHOLD_": str(32 << 20),
    "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1",
}
"""Settings of the GNU C library: memory that one file used stays allocated for the next, in huge pages, because the
parser traverses a tree faster with fewer TLB misses."""
_LENGTH_HEADER = struct.Struct(">Q")
_CREATION_FLAGS: int = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)
"""On Windows, a new group gets no Ctrl-C."""


class Worker:
    """One process, and the two pipes to it."""

    def __init__(self) -> None:
        # -P: the current folder is a user's project, and may contain a `json.py`. Several processes embed at once and
        # use all processors; more threads in each would slow them down.
        with _block_interrupts():
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "aurora.memory.indexing.workers.worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env={**_MALLOC_SETTINGS, **os.environ, "TOKENIZERS_PARALLELISM": "false", "OMP_NUM_THREADS": "1"},
                creationflags=_CREATION_FLAGS,
            )
        # Both are pipes; the types of `Popen` do not say so.
        self._stdin = cast("IO[bytes]", self._process.stdin)
        self._stdout = cast("IO[bytes]", self._process.stdout)

    @classmethod
    def start_ready(cls) -> Worker | None:
        """Start a worker and wait until it is ready; None when a process cannot start or ends at once."""
        try:
            worker = cls()
        except OSError:
            return None
        if worker.is_ready():
            return worker
        worker.stop()
        return None

    def is_ready(self) -> bool:
        """Wait for the first message; return whether it came."""
        try:
            return bool(self._exchange_values(seconds=BATCH_TIMEOUT) == READY_MESSAGE)
        except (EOFError, OSError):
            return False

    def is_alive(self) -> bool:
        """Return whether the process runs."""
        return self._process.poll() is None

    def call(self, work: Callable[..., ResultT], *given: object, seconds: float) -> ResultT:
        """Let the worker call a function of a module.

        Args:
            work: the function.
            given: its arguments.
            seconds: the time after which the worker is killed.

        Raises:
            EOFError, OSError: the worker died, or was killed after the timeout.
        """
        result: ResultT = self._exchange_values((work, given, seconds), seconds=seconds)
        return result

    def _exchange_values(self, *requests: object, seconds: float) -> Any:
        """Send the requests and receive one value; kill the process after so many seconds."""
        # Killed, not asked: a parser in a long step runs no handler.
        timer = threading.Timer(seconds, self._process.kill)
        timer.start()
        try:
            for value in requests:
                send_value(self._stdin, value)
            return receive_value(self._stdout)
        finally:
            timer.cancel()

    def stop(self) -> None:
        """Kill the process, and close its pipes."""
        self._process.kill()
        for pipe in (self._stdin, self._stdout):
            with contextlib.suppress(OSError):  # the unwritten rest has no reader
                pipe.close()
        self._process.wait()


@contextlib.contextmanager
def _block_interrupts() -> Iterator[None]:
    """Block Ctrl-C in this thread, and in a process that starts meanwhile.

    The process then gets none while it imports. A handler in the worker itself would come too late, after its imports.
    """
    if sys.platform == "win32":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def send_value(pipe: IO[bytes], value: object) -> None:
    """Write one value, its length first."""
    body = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    pipe.write(_LENGTH_HEADER.pack(len(body)) + body)
    pipe.flush()


def receive_value(pipe: IO[bytes]) -> Any:
    """Read one value.

    Raises:
        EOFError: the other end is closed.
    """
    head = pipe.read(_LENGTH_HEADER.size)
    if len(head) < _LENGTH_HEADER.size:
        raise EOFError
    (length,) = _LENGTH_HEADER.unpack(head)
    body = pipe.read(length)
    if len(body) < length:
        raise EOFError
    return pickle.loads(body)  # noqa: S301 - the other end is this program
