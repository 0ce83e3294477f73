"""Indexing: bring the store in line with the tree; what has not changed costs a `stat`."""

from __future__ import annotations

import os
import time
from contextlib import closing, nullcontext
from typing import TYPE_CHECKING

from aurora.memory.model.reports import IndexReport, Skipped

from . import write as index_write
from .batches import batches_of, together
from .changes import survey
from .embed import embed
from .parse import parse
from .pool import parse_in_processes
from .scope import folder, inside

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence
    from pathlib import Path

    from aurora.memory.sqlite.store import Store

    from .changes import Survey
    from .parse import Batch, Job

    Progress = Callable[[float, float | None, str], None]

SMALL = 1_000_000
"""Bytes below which starting other processes takes longer than parsing here."""
MOST_PROCESSES = 8


def unwatched(done: float, total: float | None, message: str) -> None:
    """Nobody is watching."""


def index(store: Store, root: Path, *, paths: Sequence[Path] = (), progress: Progress = unwatched) -> IndexReport:
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
    store.demand_writable()
    root = folder(root)
    progress(0, None, "looking for files")
    known, before = index_write.known_files(store), index_write.state(store)
    within = inside(root, paths, known)
    found = survey(root, known, within)
    tally = _Tally(known)
    much = sum(job.file.size for job in found.jobs) >= SMALL
    with store.unmapped() if much else nullcontext():
        if found.jobs or found.removed:
            index_write.begin(store, root)
            with closing(_parsed(root, found.jobs)) as batches:  # the processes end with us, whatever ends us
                for some in together(batches):
                    tally.write(store, some)
                    progress(tally.done, len(found.jobs), f"indexed {tally.done} of {len(found.jobs)} files")
            gone = [*found.removed, *(skip.path for skip in tally.skipped if skip.path in known)]
            index_write.forget(store, gone)
        index_write.finish(store, root, whole=not within or before == "complete")
        words = time.perf_counter() - started
        tally.embedded = embed(store, lambda message: progress(tally.done, len(found.jobs), message))
    return _report(store, root, found, tally, words, time.perf_counter() - started)


class _Tally:
    """What was done so far, counted as it is written."""

    def __init__(self, known: dict[str, tuple[int, int, str]]) -> None:
        self._known = known
        self.skipped: list[Skipped] = []
        self.done = self.added = self.changed = self.touched = self.embedded = 0

    def write(self, store: Store, batches: Sequence[Batch]) -> None:
        """Write some batches, and count them."""
        index_write.write(store, batches)
        results = [result for batch in batches for result in batch.files]
        self.skipped += [result for result in results if isinstance(result, Skipped)]
        self.done += len(results)
        for file in results:
            if isinstance(file, Skipped):
                continue
            if file.rows is None:
                self.touched += 1
            elif file.path in self._known:
                self.changed += 1
            else:
                self.added += 1


def _parsed(root: Path, jobs: Sequence[Job]) -> Generator[Batch, None, None]:
    processes = min(_processors(), MOST_PROCESSES) if sum(job.file.size for job in jobs) >= SMALL else 1
    batches = list(batches_of(jobs, processes))
    if min(processes, len(batches)) < 2:  # noqa: PLR2004 - one is this one
        return (parse(root, batch) for batch in batches)
    return parse_in_processes(root, batches, min(processes, len(batches)))


def _processors() -> int:
    if hasattr(os, "sched_getaffinity"):  # not on macOS; where it is, it knows of containers' limits
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _report(  # noqa: PLR0913, PLR0917 - all that a report is made of
    store: Store, root: Path, found: Survey, tally: _Tally, words: float, seconds: float
) -> IndexReport:
    with store.reading() as db:
        chunks, unparsed = db.chunks.count(), db.files.unparsed()
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
