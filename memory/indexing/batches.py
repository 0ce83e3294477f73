"""Batch sizes: files of a batch for the parsing processes, batches of a write transaction."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from .parse import ParsedBatch, ParseJob

MAX_BATCH_BYTES = 1_000_000
MIN_BATCH_BYTES = 100_000
MAX_BATCH_FILES = 256
BATCHES_PER_TRANSACTION = 4
"""Batches of one transaction: database pages that each of them changes, those of the indices, are written once."""


def split_batches(jobs: Sequence[ParseJob], processes: int) -> Iterator[list[ParseJob]]:
    """Split the files, in their order, into batches that get shorter, so that all processes end together.

    Each is half of a process's share of the rest (guided self-scheduling, Polychronopoulos and Kuck 1987), between
    `MIN_BATCH_BYTES` and `MAX_BATCH_BYTES`; its last file may exceed that.

    Args:
        jobs: the files.
        processes: the number of parsing processes.
    """
    batch: list[ParseJob] = []
    size, left = 0, sum(job.file.size for job in jobs)
    least = MIN_BATCH_BYTES if processes > 1 else MAX_BATCH_BYTES
    for job in jobs:
        batch.append(job)
        size += job.file.size
        if size >= min(MAX_BATCH_BYTES, max(least, left // (2 * processes))) or len(batch) >= MAX_BATCH_FILES:
            yield batch
            batch, size, left = [], 0, left - size
    if batch:
        yield batch


def group_batches(batches: Iterable[ParsedBatch]) -> Iterator[list[ParsedBatch]]:
    """Group batches into transactions: the first alone, then a few at a time.

    So progress shows early.
    """
    rest = iter(batches)
    some = list(islice(rest, 1))
    while some:
        yield some
        some = list(islice(rest, BATCHES_PER_TRANSACTION))
