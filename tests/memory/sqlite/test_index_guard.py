"""A log's index that another program truncates during a transaction is an error, and no signal ends the process."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import pytest

from aurora.faults import Code, Fault
from aurora.memory import Memory

if TYPE_CHECKING:
    from pathlib import Path


def truncate_during_write(memory: Memory) -> None:
    with memory.store.begin_write() as db:
        db.meta.update(root="before")
        os.truncate(f"{memory.path}-shm", 0)
        db.meta.update(root="after")


def truncate_during_read(memory: Memory) -> None:
    with memory.store.begin_read() as db:
        db.meta.get_all()
        os.truncate(f"{memory.path}-shm", 100)
        for _ in range(10_000):  # the index is checked once a millisecond
            db.meta.get_all()


@pytest.mark.skipif(os.name != "posix", reason="Windows refuses to truncate a mapped file")
@pytest.mark.parametrize("harm", [truncate_during_write, truncate_during_read])
def test_a_truncated_index_rolls_the_transaction_back_and_the_next_ones_work(database: Path, harm: object) -> None:
    assert callable(harm)
    with Memory.open(database) as memory:
        memory.remember(type="know", kind="fact", symbol="first", text="committed before", metadata={})
        with pytest.raises(Fault, match="truncated") as refused:
            harm(memory)
        memory.remember(type="know", kind="fact", symbol="second", text="committed after", metadata={})
        with memory.store.begin_read() as db:
            root = db.meta.get("root")

        assert (refused.value.code, root) == (Code.UPSTREAM_ERROR, None)
        assert {chunk.symbol for chunk in memory.iter_chunks()} == {"first", "second"}


def test_an_index_that_a_killed_process_left_is_truncated_by_sqlite_itself(database: Path, tmp_path: Path) -> None:
    with Memory.open(database) as memory:
        memory.remember(type="know", kind="fact", symbol="first", text="in the log", metadata={})
        for ending in ("", "-wal"):
            shutil.copyfile(f"{database}{ending}", tmp_path / f"memory.db{ending}")
    (tmp_path / "memory.db-shm").write_bytes(b"x" * 100_000)

    with Memory.open(tmp_path / "memory.db") as memory:
        memory.remember(type="know", kind="fact", symbol="second", text="after the kill", metadata={})
        assert {chunk.symbol for chunk in memory.iter_chunks()} == {"first", "second"}
