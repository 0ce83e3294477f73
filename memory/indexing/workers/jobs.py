"""Division of files among this process, one that waits, and several."""

from __future__ import annotations

import atexit
import os
import threading
import time
from collections import deque
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, Self

from aurora.memory.files import UNKNOWN_LANGUAGE, detect_language
from aurora.memory.indexing.parse import parse_files
from aurora.memory.indexing.write import split_batches
from aurora.memory.parsing.languages import LANGUAGES

from . import process
from .process import Worker

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence
    from concurrent.futures import Future
    from pathlib import Path

    from aurora.memory.indexing.parse import ParsedBatch, ParseJob

MIN_PARALLEL_BYTES = 1_000_000
"""Below this many bytes, starting several processes takes longer than parsing in one."""


MAX_PROCESSES = 8


_HARMLESS_BYTES = 1_000
"""Size up to which no text that was found keeps a grammar's parser busy for a second.

The time of the worst grows with the square of the size, and so does the memory: 9 kB of `/*` lines as Python take 5 s
and 2.9 GB, 24 kB over a minute, and nothing in the same process can stop the parser.
"""

_HARMLESS_BATCH_BYTES = 5_000


def parse_jobs(root: Path, jobs: Sequence[ParseJob]) -> Generator[ParsedBatch, None, None]:
    """Parse files, many bytes of them in several processes; closing the generator ends these."""
    processes = min(_count_processors(), MAX_PROCESSES) if _has_parallel_size(jobs) else 1
    if processes > 1:
        batches = list(split_batches(jobs, processes))
        if len(batches) > 1:
            return parse_in_processes(root, batches, min(processes, len(batches)), TimeLimits())
    return _parse_in_order(root, list(split_batches(jobs, 1)), TimeLimits())


def _parse_in_order(
    root: Path, batches: Sequence[Sequence[ParseJob]], limits: TimeLimits
) -> Generator[ParsedBatch, None, None]:
    """Parse here what is parsed quickly whatever it contains, and the rest where it can be killed."""
    for batch in batches:
        if _is_quick(batch):
            yield parse_files(root, batch)
        else:
            yield from parse_in_one_process(root, batch, limits)


def _is_quick(batch: Sequence[ParseJob]) -> bool:
    """Say whether a batch is parsed quickly: its files for grammars are small, and few."""
    sizes = [job.file.size for job in batch if _may_have_grammar(job.file.path)]
    return all(size <= _HARMLESS_BYTES for size in sizes) and sum(sizes) <= _HARMLESS_BATCH_BYTES


def _may_have_grammar(path: str) -> bool:
    """Say whether a grammar's parser may read a file: a name without a language leaves it open."""
    language = detect_language(path)
    return language == UNKNOWN_LANGUAGE or language in LANGUAGES


def _has_parallel_size(jobs: Sequence[ParseJob]) -> bool:
    return sum(job.file.size for job in jobs) >= MIN_PARALLEL_BYTES


def _count_processors() -> int:
    if hasattr(os, "sched_getaffinity"):  # missing on macOS; respects the limits of a container
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


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
            # An edit is mostly followed by another: the next one need not wait for the start of a process.
            if self._is_one and fault is None and worker.is_alive():
                keep_waiting(worker)
            else:
                worker.stop()

    def parse_batch(self, jobs: Sequence[ParseJob]) -> list[ParsedBatch]:
        """Parse a batch; file by file when its worker dies, to find the file that killed it."""
        worker = self._get_worker()
        if worker is None:
            # Workers that cannot start, or end at once, must not keep the project from being indexed.
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
            # This file is what killed it. As lines of text it takes no parser, and is still found by its words.
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
    # It must not keep a process from ending; that stops the worker itself.
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


MAX_LOST_SECONDS = 60.0
"""Time that workers may take in vain until the limits follow the size of the files: a project with a few such files is
indexed as usual, and one that has thousands of them delays for minutes instead of hours."""


LEAST_SECONDS = 1.0


BYTES_PER_SECOND = 100_000
"""The limits after that; code of any language is parsed ten times as fast on a slow machine."""


_SHORT_BYTES = 200_000
"""Size up to which a batch has no more time than a file, which may be five times as long."""


class TimeLimits:
    """Limits of the workers of one indexing. Safe for use from several threads.

    Attributes:
        lost: the seconds of the workers that ended without an answer.
    """

    def __init__(self) -> None:
        self.lost = 0.0
        self._lock = threading.Lock()

    def count_lost(self, seconds: float) -> None:
        """Count the time of a worker that ended without an answer."""
        with self._lock:
            self.lost += seconds

    def choose_limit(self, jobs: Sequence[ParseJob]) -> float:
        """Choose the seconds after which the worker of a batch is killed."""
        size = sum(job.file.size for job in jobs)
        usual = process.FILE_TIMEOUT if len(jobs) == 1 or size <= _SHORT_BYTES else process.BATCH_TIMEOUT
        if self.lost < MAX_LOST_SECONDS:
            return usual
        return min(usual, LEAST_SECONDS + size / BYTES_PER_SECOND)
