"""Indexing: bring the store in line with the tree; what has not changed costs a `stat`."""

from __future__ import annotations

import os
import time
from contextlib import closing, nullcontext
from typing import TYPE_CHECKING

from aurora.memory.model import IndexReport, SkippedFile

from . import write as index_write
from .batches import group_batches, split_batches
from .changes import find_changes
from .embed import embed_missing
from .parse import parse_files
from .pool import parse_in_processes
from .scope import resolve_paths, resolve_root

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence
    from pathlib import Path

    from aurora.memory.storage import Store

    from .changes import TreeChanges
    from .parse import ParsedBatch, ParseJob

    Progress = Callable[[float, float | None, str], None]

MIN_PARALLEL_BYTES = 1_000_000
"""Bytes below which starting other processes takes longer than parsing here."""
MAX_PROCESSES = 8


def ignore_progress(done: float, total: float | None, message: str) -> None:
    """Nobody is watching."""


def index_tree(
    store: Store, root: Path, *, paths: Sequence[Path] = (), progress: Progress = ignore_progress
) -> IndexReport:
    """Index the tree at `root`, or only the `paths` in it.

    Args:
        store: where to.
        root: the project's folder.
        paths: files or folders inside it, absolute or relative to it; none means all.
        progress: told `(files done, files to do, message)`, again and again.

    Raises:
        Fault: NOT_FOUND when the root does not exist, INVALID_INPUT when it is not a folder, FORBIDDEN when it may
            not be read or a path lies outside it; and those of the store.
    """
    started = time.perf_counter()
    store.require_writable()
    root = resolve_root(root)
    progress(0, None, "looking for files")
    known, before = index_write.read_known_files(store), index_write.read_state(store)
    within = resolve_paths(root, paths, known)
    found = find_changes(root, known, within)
    tally = _IndexTally(known)
    much = sum(job.file.size for job in found.jobs) >= MIN_PARALLEL_BYTES
    with store.disable_mmap() if much else nullcontext():
        if found.jobs or found.removed:
            index_write.begin_run(store, root)
            with closing(_parse_jobs(root, found.jobs)) as batches:  # the processes end with us, whatever ends us
                for some in group_batches(batches):
                    tally.write_batches(store, some)
                    progress(tally.done, len(found.jobs), f"indexed {tally.done} of {len(found.jobs)} files")
            gone = [*found.removed, *(skip.path for skip in tally.skipped if skip.path in known)]
            index_write.remove_files(store, gone)
        index_write.finish_run(store, root, whole=not within or before == "complete")
        words = time.perf_counter() - started
        tally.embedded = embed_missing(store, lambda message: progress(tally.done, len(found.jobs), message))
    return _build_report(store, root, found, tally, words, time.perf_counter() - started)


class _IndexTally:
    """What was done so far, counted as it is written."""

    def __init__(self, known: dict[str, tuple[int, int, str]]) -> None:
        self._known = known
        self.skipped: list[SkippedFile] = []
        self.done = self.added = self.changed = self.touched = self.embedded = 0

    def write_batches(self, store: Store, batches: Sequence[ParsedBatch]) -> None:
        """Write some batches, and count them."""
        index_write.write_batches(store, batches)
        results = [result for batch in batches for result in batch.files]
        self.skipped += [result for result in results if isinstance(result, SkippedFile)]
        self.done += len(results)
        for file in results:
            if isinstance(file, SkippedFile):
                continue
            if file.rows is None:
                self.touched += 1
            elif file.path in self._known:
                self.changed += 1
            else:
                self.added += 1


def _parse_jobs(root: Path, jobs: Sequence[ParseJob]) -> Generator[ParsedBatch, None, None]:
    processes = (
        min(_count_processors(), MAX_PROCESSES) if sum(job.file.size for job in jobs) >= MIN_PARALLEL_BYTES else 1
    )
    batches = list(split_batches(jobs, processes))
    if min(processes, len(batches)) < 2:  # noqa: PLR2004 - one is this one
        return (parse_files(root, batch) for batch in batches)
    return parse_in_processes(root, batches, min(processes, len(batches)))


def _count_processors() -> int:
    if hasattr(os, "sched_getaffinity"):  # not on macOS; where it is, it knows of containers' limits
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _build_report(  # noqa: PLR0913, PLR0917 - all that a report is made of
    store: Store, root: Path, found: TreeChanges, tally: _IndexTally, words: float, seconds: float
) -> IndexReport:
    with store.begin_read() as db:
        chunks, unparsed = db.chunks.count(), db.files.count_unparsed()
    late = {skip.path for skip in tally.skipped}
    return IndexReport(
        root=str(root),
        files=found.seen - len(late),
        added=tally.added,
        changed=tally.changed,
        unchanged=found.unchanged + tally.touched,
        removed=len(found.removed),
        chunks=chunks,
        embedded=tally.embedded,
        unparsed=unparsed,
        bytes=found.size,
        seconds=seconds,
        embedding_seconds=seconds - words,
        skipped=tuple(sorted([*found.skipped, *tally.skipped], key=lambda skip: skip.path)),
    )
