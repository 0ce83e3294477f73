"""Batches of files that keep all processes busy to the end."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from aurora.memory.files.discover import SourceFile
from aurora.memory.indexing.parse import ParsedBatch, ParseJob
from aurora.memory.indexing.write import (
    BATCHES_PER_TRANSACTION,
    MAX_BATCH_BYTES,
    MAX_BATCH_FILES,
    MIN_BATCH_BYTES,
    group_batches,
    split_batches,
)
from aurora.memory.text_index.pack import pack_documents

SIZES = st.lists(st.one_of(st.just(0), st.integers(0, 20_000), st.integers(0, 1 << 20)), max_size=600)


def make_jobs(sizes: list[int]) -> list[ParseJob]:
    files = [SourceFile(f"f{number}.py", Path(f"f{number}.py"), size, 1) for number, size in enumerate(sizes)]
    return [ParseJob(file, None) for file in files]


def sum_sizes(batch: list[ParseJob]) -> int:
    return sum(job.file.size for job in batch)


@settings(max_examples=50)
@given(SIZES, st.integers(1, 8))
def test_every_file_is_in_one_batch_in_order_and_no_batch_is_too_large_or_empty(
    sizes: list[int], processes: int
) -> None:
    jobs = make_jobs(sizes)
    batches = list(split_batches(jobs, processes))
    assert [job for batch in batches for job in batch] == jobs
    assert all(0 < len(batch) <= MAX_BATCH_FILES for batch in batches)
    assert all(sum_sizes(batch[:-1]) < MAX_BATCH_BYTES for batch in batches)


@settings(max_examples=50)
@given(SIZES, st.integers(2, 8))
def test_without_its_last_file_a_batch_is_less_than_half_of_a_process_s_share_of_the_rest(
    sizes: list[int], processes: int
) -> None:
    left = sum(sizes)
    for batch in split_batches(make_jobs(sizes), processes):
        assert sum_sizes(batch[:-1]) < max(MIN_BATCH_BYTES, left / (2 * processes))
        left -= sum_sizes(batch)


def test_a_project_of_two_megabytes_keeps_two_processes_busy_and_ends_with_a_small_batch() -> None:
    sizes = [sum_sizes(batch) for batch in split_batches(make_jobs([10_000] * 200), 2)]
    assert sizes[0] == 500_000
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] <= MIN_BATCH_BYTES


def test_one_process_gets_full_batches() -> None:
    assert [len(batch) for batch in split_batches(make_jobs([10_000] * 90), 1)] == [90]


def test_the_first_batch_is_written_alone_and_the_others_a_few_at_a_time() -> None:
    batches = [ParsedBatch((), pack_documents([])) for _ in range(7)]
    assert [len(some) for some in group_batches(batches)] == [1, BATCHES_PER_TRANSACTION, 2]
    assert [batch for some in group_batches(iter(batches)) for batch in some] == batches
