"""How much is done at once: files in a batch for the processes that parse, batches in a transaction that writes."""

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
"""Batches in one transaction: pages that each of them touches, those of the tables' indices, are then written once."""


def split_batches(jobs: Sequence[ParseJob], processes: int) -> Iterator[list[ParseJob]]:
    """The files in their order, in batches that get shorter where several processes are to end together.

    Each is half of a process's share of what is left (guided self-scheduling, Polychronopoulos and Kuck 1987) within
    `LEAST_BYTES` and `BYTES`; the file that fills it may lie over that.

    Args:
        jobs: the files.
        processes: how many parse.
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
    """The first by itself, so that somebody who waits sees that it goes on; the others a few at a time."""
    rest = iter(batches)
    some = list(islice(rest, 1))
    while some:
        yield some
        some = list(islice(rest, BATCHES_PER_TRANSACTION))
