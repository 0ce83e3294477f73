"""Division of files among this process, one that waits, and several."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from aurora.memory.files import UNKNOWN_LANGUAGE, detect_language
from aurora.memory.indexing.batches import split_batches
from aurora.memory.indexing.parse import parse_files
from aurora.memory.parsing.languages import LANGUAGES

from .pool import parse_in_one_process, parse_in_processes
from .time_limits import TimeLimits

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence
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
