"""Worker pool: parsing processes, replaced when one dies."""

from __future__ import annotations

import threading
import time
from collections import deque
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, Self

from aurora.memory.indexing.parse import parse_files

from .process import Worker
from .waiting import keep_waiting, take_waiting

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence
    from concurrent.futures import Future
    from pathlib import Path

    from aurora.memory.indexing.parse import ParsedBatch, ParseJob

    from .time_limits import TimeLimits


def parse_in_processes(
    root: Path, batches: Sequence[Sequence[ParseJob]], count: int, limits: TimeLimits
) -> Generator[ParsedBatch, None, None]:
    """Parse the batches in `count` processes, and yield the results as they finish.

    The workers of `concurrent.futures.ProcessPoolExecutor` import the caller's main module, and wait forever when the
    caller is killed. These import only this package, and end when their pipe closes.

    Args:
        root: the project's folder.
        batches: the files, a few at a time.
        count: the number of processes.
        limits: those of this indexing.

    Yields:
        One or more for each batch. A file that kills its worker is taken as lines of text, without its definitions.
    """
    waiting = deque(batches)
    with _WorkerPool(root, limits) as crew, ThreadPoolExecutor(count) as threads:
        running: set[Future[list[ParsedBatch]]] = set()
        while waiting or running:
            # Two batches for each process: none is idle while the caller writes the results so far.
            while waiting and len(running) < 2 * count:
                running.add(threads.submit(crew.parse_batch, waiting.popleft()))
            done, running = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                yield from future.result()


def parse_in_one_process(root: Path, batch: Sequence[ParseJob], limits: TimeLimits) -> list[ParsedBatch]:
    """Parse a batch in a process that then waits for the next; see `parse_in_processes`."""
    with _WorkerPool(root, limits, is_one=True) as crew:
        return crew.parse_batch(batch)


class _WorkerPool:
    """Workers of one indexing run: one for each thread; all end with it, or the only one waits."""

    def __init__(self, root: Path, limits: TimeLimits, *, is_one: bool = False) -> None:
        self._root = root
        self._limits = limits
        self._is_one = is_one
        self._local = threading.local()
        self._workers: list[Worker] = []
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, fault: object, *_: object) -> None:
        for worker in self._workers:
            if self._is_one and fault is None and worker.is_alive():
                keep_waiting(worker)
            else:
                worker.stop()

    def parse_batch(self, jobs: Sequence[ParseJob]) -> list[ParsedBatch]:
        """Parse a batch; file by file when its worker dies, to find the file that killed it."""
        worker = self._get_worker()
        if worker is None:
            return [parse_files(self._root, jobs)]
        began = time.monotonic()
        try:
            answer = worker.call(parse_files, self._root, list(jobs), seconds=self._limits.choose_limit(jobs))
        except (EOFError, OSError):
            self._local.worker = None
            self._limits.count_lost(time.monotonic() - began)
        else:
            return [answer]
        if len(jobs) == 1:
            return [parse_files(self._root, jobs, parses=False)]
        return [batch for job in jobs for batch in self.parse_batch([job])]

    def _get_worker(self) -> Worker | None:
        worker: Worker | None = getattr(self._local, "worker", None)
        if worker is None:
            waiting = take_waiting() if self._is_one else None
            worker = self._local.worker = waiting or Worker.start_ready()
            if worker:
                with self._lock:
                    self._workers.append(worker)
        return worker
