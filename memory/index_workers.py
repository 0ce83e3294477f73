"""Other processes that parse: one for each processor, fed through pipes, replaced when one dies."""

from __future__ import annotations

import os
import pickle
import struct
import subprocess
import sys
import threading
from collections import deque
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from typing import IO, TYPE_CHECKING, Any, Self

from .model import Skipped

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence
    from concurrent.futures import Future
    from pathlib import Path

    from .index_parse import Job, Parsed

PATIENCE = 120.0
"""Seconds that one batch of files may take before its worker is taken for hung, and stopped."""

_LENGTH = struct.Struct(">Q")


def parse_in_processes(
    root: Path, batches: Sequence[Sequence[Job]], count: int
) -> Generator[list[Parsed | Skipped], None, None]:
    """Parse the batches in `count` processes, and yield the results as they come.

    `concurrent.futures` has a pool of processes too; its workers import the caller's main module, and wait for ever
    when the caller is killed. These know only this package, and end when their pipe does.

    Args:
        root: the project's folder.
        batches: the files, a few at a time.
        count: how many processes.

    Yields:
        One list for each batch. A file that kills its worker is a `Skipped` with the reason `crash`.
    """
    waiting = deque(batches)
    with _Crew(root) as crew, ThreadPoolExecutor(count) as threads:
        running: set[Future[list[Parsed | Skipped]]] = set()
        while waiting or running:
            while waiting and len(running) < count + 1:  # one in reserve; more would pile up in memory
                running.add(threads.submit(crew.parse, waiting.popleft()))
            done, running = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                yield future.result()


class _Crew:
    """The workers of one indexing run: each thread has its own; all are stopped at the end."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._mine = threading.local()
        self._all: list[_Worker] = []
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self._all:
            worker.stop()

    def parse(self, jobs: Sequence[Job]) -> list[Parsed | Skipped]:
        """The batch, parsed; file by file when its worker dies, to know which file it died of."""
        try:
            return self._ask(jobs)
        except (EOFError, OSError):
            if len(jobs) == 1:
                return [Skipped(jobs[0].file.path, "crash", "the parser did not survive this file")]
        return [result for job in jobs for result in self.parse([job])]

    def _ask(self, jobs: Sequence[Job]) -> list[Parsed | Skipped]:
        worker: _Worker | None = getattr(self._mine, "worker", None)
        if worker is None:
            worker = self._mine.worker = _Worker()
            with self._lock:
                self._all.append(worker)
        try:
            answer: list[Parsed | Skipped] = worker.ask((self._root, list(jobs)))
        except BaseException:
            self._mine.worker = None
            raise
        return answer


class _Worker:
    """One process, and the two pipes to it."""

    def __init__(self) -> None:
        # -P: the folder we stand in is somebody's project, and may hold a `json.py`. Two processes that embed at once
        # have the processors; more threads in each would only quarrel.
        self._process = subprocess.Popen(  # noqa: S603 - this very Python, with fixed arguments
            [sys.executable, "-P", "-m", f"{__package__}.index_worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "TOKENIZERS_PARALLELISM": "false", "OMP_NUM_THREADS": "1"},
        )

    def ask(self, question: object) -> Any:
        """Its answer.

        Raises:
            EOFError, OSError: it died, or was stopped for taking too long.
        """
        assert self._process.stdin  # noqa: S101 - for the type checker: both are pipes
        assert self._process.stdout  # noqa: S101 - as above
        watch = threading.Timer(PATIENCE, self._process.kill)
        watch.start()
        try:
            send(self._process.stdin, question)
            return receive(self._process.stdout)
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


def send(pipe: IO[bytes], value: object) -> None:
    """Write one value, its length first."""
    body = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    pipe.write(_LENGTH.pack(len(body)) + body)
    pipe.flush()


def receive(pipe: IO[bytes]) -> Any:
    """Read one value.

    Raises:
        EOFError: the other end is gone.
    """
    head = pipe.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        raise EOFError
    (length,) = _LENGTH.unpack(head)
    body = pipe.read(length)
    if len(body) < length:
        raise EOFError
    return pickle.loads(body)  # noqa: S301 - as at the import
