"""One worker process and the pipes to it; both ends of the conversation are here."""

from __future__ import annotations

import os
import pickle
import struct
import subprocess
import sys
import threading
from typing import IO, Any

PATIENCE = 120.0
"""Seconds that one batch of files may take before its worker is taken for hung, and stopped."""
READY_MESSAGE = "ready"
"""What a worker says first."""

_MALLOC_SETTINGS = {
    "MALLOC_TRIM_THRESHOLD_": str(32 << 20),
    "MALLOC_MMAP_THRESHOLD_": str(32 << 20),
    "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1",
}
"""For the GNU C library: the memory that one file took is kept for the next, not given back to be asked for anew, and
it is asked for in large pages: the parser finds its way in a tree faster where the processor knows all of its pages."""
_LENGTH_HEADER = struct.Struct(">Q")


class Worker:
    """One process, and the two pipes to it."""

    def __init__(self) -> None:
        # -P: the folder we stand in is somebody's project, and may hold a `json.py`. Two processes that embed at once
        # have the processors; more threads in each would only quarrel.
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "aurora.memory.indexing.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**_MALLOC_SETTINGS, **os.environ, "TOKENIZERS_PARALLELISM": "false", "OMP_NUM_THREADS": "1"},
        )

    @classmethod
    def start_ready(cls) -> Worker | None:
        """A worker that is ready; None where processes cannot be had, or end before they begin."""
        try:
            worker = cls()
        except OSError:
            return None
        if worker.is_ready():
            return worker
        worker.stop()
        return None

    def is_ready(self) -> bool:
        """Wait for its first word."""
        try:
            return bool(self._exchange_values() == READY_MESSAGE)
        except (EOFError, OSError):
            return False

    def send_request(self, question: object) -> Any:
        """Its answer.

        Raises:
            EOFError, OSError: it died, or was stopped for taking too long.
        """
        return self._exchange_values(question)

    def _exchange_values(self, *said: object) -> Any:
        assert self._process.stdin  # noqa: S101 - for the type checker: both are pipes
        assert self._process.stdout  # noqa: S101 - as above
        watch = threading.Timer(PATIENCE, self._process.kill)
        watch.start()
        try:
            for value in said:
                send_value(self._process.stdin, value)
            return receive_value(self._process.stdout)
        finally:
            watch.cancel()

    def stop(self) -> None:
        """End the process, whatever it is doing, and close its pipes."""
        self._process.kill()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe:
                try:
                    pipe.close()
                except OSError:
                    continue  # what was still to be written has no reader any more
        self._process.wait()


def send_value(pipe: IO[bytes], value: object) -> None:
    """Write one value, its length first."""
    body = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    pipe.write(_LENGTH_HEADER.pack(len(body)) + body)
    pipe.flush()


def receive_value(pipe: IO[bytes]) -> Any:
    """Read one value.

    Raises:
        EOFError: the other end is gone.
    """
    head = pipe.read(_LENGTH_HEADER.size)
    if len(head) < _LENGTH_HEADER.size:
        raise EOFError
    (length,) = _LENGTH_HEADER.unpack(head)
    body = pipe.read(length)
    if len(body) < length:
        raise EOFError
    return pickle.loads(body)  # noqa: S301 - as at the import
