from __future__ import annotations

from typing import TYPE_CHECKING

import apsw
import pytest

from aurora.memory.sqlite import migrate_schema, schema
from aurora.memory.sqlite.migrate import MIGRATIONS

if TYPE_CHECKING:
    from pathlib import Path

NEXT, LAST = schema.VERSION + 1, schema.VERSION + 2
_STEPS = {  # beyond the newest version
    NEXT: "CREATE TABLE tags (id TEXT PRIMARY KEY, tag TEXT) STRICT;",
    LAST: "ALTER TABLE tags ADD COLUMN at TEXT; INSERT INTO tags (id, tag) VALUES ('a', 'kept')",
}


def test_there_is_a_migration_for_every_version() -> None:
    assert sorted(MIGRATIONS) == list(range(2, schema.VERSION + 1))


def test_an_older_database_runs_every_migration_in_order_and_keeps_its_content(tmp_path: Path) -> None:
    db = apsw.Connection(str(tmp_path / "memory.db"))
    schema.create_schema(db)
    db.execute("INSERT INTO runs (run, workflow, created_at, updated_at, document) VALUES ('r', 'w', '', '', '{}')")
    migrate_schema(db, {}, target=LAST, steps=_STEPS)
    assert schema.read_version(db) == LAST
    assert db.execute("SELECT id, tag, at FROM tags").fetchall() == [("a", "kept", None)]
    assert db.execute("SELECT run FROM runs").fetchall() == [("r",)]
    db.close()


def test_a_failed_migration_leaves_the_database_at_its_version(tmp_path: Path) -> None:
    db = apsw.Connection(str(tmp_path / "memory.db"))
    schema.create_schema(db)
    with pytest.raises(apsw.SQLError), db:
        migrate_schema(db, {}, target=LAST, steps={**_STEPS, LAST: "CREATE TABLE chunks (oops)"})
    assert schema.read_version(db) == schema.VERSION
    assert not db.execute("SELECT 1 FROM sqlite_schema WHERE name = 'tags'").fetchall()
    db.close()
