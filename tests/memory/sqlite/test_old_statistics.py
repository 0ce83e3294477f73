from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from aurora.memory.model.runs import RunHead, RunStep

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.memory import Memory
    from aurora.memory.storage.store import Tables

_AT = "2026-01-01T00:00:00Z"
_RUNS, _STEPS = 600, 3
_INSTRUCTIONS = 100
"""Instructions of SQLite's virtual machine between two calls of its progress handler."""


def insert_runs(db: Tables, first: int, last: int) -> None:
    for number in range(first, last):
        db.runs.insert(RunHead(f"r{number}", "soar", _AT, _AT, "{}"))
        db.runs.add_steps(f"r{number}", [RunStep(seq, "assess", _AT, '{"at": 1}') for seq in range(1, _STEPS + 1)])


@contextmanager
def count_instructions(db: Tables) -> Iterator[list[int]]:
    """Count what SQLite does, which no other load of the machine changes."""
    counted = [0]

    def count() -> bool:
        counted[0] += _INSTRUCTIONS
        return False

    db.runs._db._db.set_progress_handler(count, _INSTRUCTIONS)  # type: ignore[attr-defined]
    yield counted
    db.runs._db._db.set_progress_handler(None)  # type: ignore[attr-defined]


@pytest.fixture
def grown(memory: Memory) -> Memory:
    """A memory whose statistics were made when it had one run."""
    with memory.store.begin_write() as db:
        insert_runs(db, 0, 1)
        db.runs._db._db.execute("ANALYZE")  # type: ignore[attr-defined]
    memory.store._drop_connections()  # type: ignore[attr-defined]
    with memory.store.begin_write() as db:
        insert_runs(db, 1, _RUNS)
    return memory


def test_a_search_in_runs_reads_each_step_once_whatever_the_statistics_say(grown: Memory) -> None:
    with grown.store.begin_read() as db, count_instructions(db) as counted:
        assert db.runs.list_newest(51, 0, text="nothing has this") == []
    assert counted[0] < 40 * _RUNS * _STEPS


def test_first_steps_are_found_by_their_key_whatever_the_statistics_say(grown: Memory) -> None:
    with grown.store.begin_read() as db, count_instructions(db) as counted:
        assert len(db.runs.list_first_steps([f"r{number}" for number in range(20)])) == 20
    assert counted[0] < 100 * 20
