"""A connection keeps no more of its database in memory than its store allows."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import apsw

from aurora.memory import Memory

if TYPE_CHECKING:
    from pathlib import Path

CACHE_KIB = 200
RUNS = 500
TEXT = "a text of two thousand characters " * 60


def test_a_list_of_all_runs_keeps_no_more_of_them_than_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with closing(Memory.open(path)) as memory:
        for number in range(RUNS):
            memory.journal.create(f"r{number}", "soar", {"status": "open", "text": TEXT}, [])
    with closing(Memory.open(path, cache_kib=CACHE_KIB)) as memory:
        assert memory.journal.count_states() == {"open": RUNS}
        with memory.store.begin_read() as db:
            connection = db.runs._db._db  # type: ignore[attr-defined]
            kept, _ = connection.status(apsw.SQLITE_DBSTATUS_CACHE_USED)
    assert path.stat().st_size > 4 * 1024 * CACHE_KIB
    assert kept < 1.2 * 1024 * CACHE_KIB
