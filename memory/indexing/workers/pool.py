"""Worker pool: parsing processes, one for each processor, replaced when one dies."""

from __future__ import annotations

import threading
from collections import deque
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, Self

from aurora.memory.indexing.parse import ParsedBatch, parse_files
from aurora.memory.model import SkippedFile
from aurora.memory.text_index import pack_documents

from . import process
from .process import Worker

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence
    from concurrent.futures import Future
    from pathlib import Path

    from aurora.memory.indexing.parse import ParseJob


def parse_in_processes(
    root: Path, batches: Sequence[Sequence[ParseJob]], count: int
) -> Generator[ParsedBatch, None, None]:
    """Parse the batches in `count` processes, and yield the results as they finish.

    The workers of `concurrent.futures.ProcessPoolExecutor` import the caller's main module, and wait forever when the
    caller is killed. These import only this package, and end when their pipe closes.

    Args:
        root: the project's folder.
        batches: the files, a few at a time.
        count: the number of processes.

    Yields:
        One or more for each batch. A file that kills its worker is a `SkippedFile` with the reason `crash`.
    """
    waiting = deque(batches)
    with _WorkerPool(root) as crew, ThreadPoolExecutor(count) as threads:
        running: set[Future[list[ParsedBatch]]] = set()
        while waiting or running:
            # Two batches for each process: none is idle while the caller writes the results so far.
            while waiting and len(running) < 2 * count:
                running.add(threads.submit(crew.parse_batch, waiting.popleft()))
            done, running = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                yield from future.result()


class _WorkerPool:
    """The workers of one indexing run: one for each thread; all are stopped at the end."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._local = threading.local()
        self._workers: list[Worker] = []
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self._workers:
            worker.stop()

    def parse_batch(self, jobs: Sequence[ParseJob]) -> list[ParsedBatch]:
        """Parse a batch; file by file when its worker dies, to find the file that killed it."""
        worker = self._get_worker()
        if worker is None:
            return [parse_files(self._root, jobs)]
        try:
            seconds = process.BATCH_TIMEOUT if len(jobs) > 1 else process.FILE_TIMEOUT
            answer: ParsedBatch = worker.send_request((self._root, list(jobs)), seconds)
        except (EOFError, OSError):
            self._local.worker = None
        else:
            return [answer]
        if len(jobs) == 1:
            return [
                ParsedBatch(
                    (SkippedFile(jobs[0].file.path, "crash", "the parser did not survive this file"),),
                    pack_documents([]),
                )
            ]
        return [batch for job in jobs for batch in self.parse_batch([job])]

    def _get_worker(self) -> Worker | None:
        worker: Worker | None = getattr(self._local, "worker", None)
        if worker is None:
            worker = self._local.worker = Worker.start_ready()
            if worker:
                with self._lock:
                    self._workers.append(worker)
        return worker
