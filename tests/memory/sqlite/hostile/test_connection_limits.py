"""A statement ends when its call is cancelled, and neither reads views nor makes values of any size."""

from __future__ import annotations

import time
from contextlib import closing
from typing import TYPE_CHECKING

import apsw
import pytest

from aurora.errors import Cancelled, CancelScope
from aurora.memory import Memory
from aurora.memory.sqlite.connect import limit_connection, open_connection

if TYPE_CHECKING:
    from pathlib import Path

_ENDLESS = "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT count(*) FROM t"


def test_an_endless_statement_ends_when_the_time_of_its_call_is_over(memory: Memory) -> None:
    begun = time.monotonic()
    with pytest.raises(Cancelled), CancelScope(seconds=0.2).activate(), memory.store.begin_read() as db:
        db.runs._db._db.execute(_ENDLESS).fetchall()  # type: ignore[attr-defined]
    assert time.monotonic() - begun < 5
    assert memory.stats().chunks["know"] == 0


def test_a_cancelled_write_is_rolled_back_and_the_connection_works_again(memory: Memory) -> None:
    def write_for_ever() -> None:
        with memory.store.begin_write() as db:
            db.meta.update(indexed_at="never")
            db.runs._db._db.execute(_ENDLESS).fetchall()  # type: ignore[attr-defined]

    scope = CancelScope(seconds=0.2)
    with pytest.raises(Cancelled), scope.activate():
        write_for_ever()
    assert scope.changes == 0
    assert memory.remember(type="know", kind="fact", symbol="s", text="after the end", metadata={})[1]


def test_a_value_has_a_greatest_size_and_the_schema_cannot_be_written(database: Path) -> None:
    Memory.open(database).close()
    with closing(open_connection(database, read_only=False, busy_timeout=1)) as db:
        with pytest.raises(apsw.TooBigError):
            db.execute("SELECT length(hex(zeroblob(499000000)))").fetchall()
        db.pragma("writable_schema", 1)
        with pytest.raises(apsw.SQLError, match="may not be modified"):
            db.execute("UPDATE sqlite_schema SET sql = NULL")


def test_a_view_is_not_read(tmp_path: Path) -> None:
    with closing(apsw.Connection(str(tmp_path / "any.db"))) as db:
        db.execute("CREATE VIEW z AS SELECT 1")
        limit_connection(db)
        with pytest.raises(apsw.SQLError, match="prohibited"):
            db.execute("SELECT * FROM z").fetchall()
