"""A database with a trigger, a view or another object that no Aurora creates is damaged, and nothing of it runs."""

from __future__ import annotations

import re
import shutil
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from aurora.faults import Code, Fault
from aurora.memory import Memory
from aurora.memory.database import create_backup, restore_backup
from aurora.memory.indexing import ignore_progress
from aurora.memory.maintenance import check_memory, repair_memory
from aurora.memory.sqlite import schema
from aurora.memory.sqlite.errors import DamagedDatabase
from aurora.memory.sqlite.file import record_own
from aurora.memory.sqlite.schema_objects import _list_current_objects, require_own_objects
from aurora.memory.sqlite.seals import register_seals

_OLDER = Path(__file__).parents[1] / "version_2.sql"
_DELETE_ALL = (
    "CREATE TRIGGER z AFTER INSERT ON steps BEGIN DELETE FROM chunks; DELETE FROM files; DELETE FROM docs; END"
)
_VIEW_OF_FACTS = """
ALTER TABLE facts RENAME TO facts_real;
CREATE VIEW facts AS WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t)
    SELECT 'restored' AS key, hex(zeroblob(499000000)) AS value FROM t
"""
_VIEW_OF_RECORDS = """
ALTER TABLE chunks RENAME TO chunks_real;
CREATE VIEW chunks AS WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t)
    SELECT n, 'know:1' AS id, 'know' AS type, NULL AS path, 1 AS start_line,
    1 AS end_line, '' AS symbol, '' AS name, '' AS kind, '' AS language, '' AS text, '{}' AS metadata, x'' AS seal
    FROM t
"""
_REWRITE = "PRAGMA writable_schema = 1; UPDATE sqlite_schema SET {change}; PRAGMA writable_schema = 0"
_CHANGES = {
    "a trigger": _DELETE_ALL,
    "a trigger that calls the checksum": "CREATE TRIGGER z AFTER UPDATE ON runs BEGIN "
    "UPDATE runs SET seal = compute_seal('runs', NEW.run) WHERE run = NEW.run; END",
    "one of Aurora's triggers that does something else": "DROP TRIGGER files_gone; "
    "CREATE TRIGGER files_gone AFTER DELETE ON files BEGIN DELETE FROM chunks; END",
    "a trigger that is called a table": f"{_DELETE_ALL}; "
    + _REWRITE.format(change="type = 'table', tbl_name = 'z' WHERE name = 'z'"),
    "a trigger that is called a table of SQLite": f"{_DELETE_ALL}; "
    + _REWRITE.format(change="type = 'table', name = 'sqlite_stat1', tbl_name = 'sqlite_stat1' WHERE name = 'z'"),
    "a view": "CREATE VIEW z AS SELECT 1",
    "a view in place of a table": _VIEW_OF_FACTS,
    "an index of expressions": "CREATE INDEX z ON steps (hex(document))",
    "a table": "CREATE TABLE z (run TEXT REFERENCES runs (run) ON DELETE RESTRICT)",
    "a virtual table": "CREATE VIRTUAL TABLE z USING fts5 (text)",
    "a table with another constraint": _REWRITE.format(
        change="sql = replace(sql, 'phase TEXT NOT NULL', 'phase TEXT NOT NULL CHECK (length(hex(phase)) > 0)') "
        "WHERE name = 'steps'"
    ),
    "a column that is computed": "ALTER TABLE steps ADD COLUMN z TEXT AS (hex(document))",
}


@pytest.fixture
def filled(database: Path) -> Path:
    """A closed memory with a fact and a run."""
    root = database.parent.parent
    root.mkdir()
    (root / "pay.py").write_text("def price(net):\n    return net + 1\n", encoding="utf-8")
    with Memory.open(database) as memory:
        memory.index(root)
        memory.remember(type="know", kind="fact", symbol="kept", text="kettles whistle", metadata={})
        memory.journal.create("r1", "soar", {"n": 1}, [("assess", {"n": 1})])
    return database


def change_schema(database: Path, sql: str) -> None:
    with closing(apsw.Connection(str(database))) as db:
        register_seals(db)
        db.execute(sql)
        db.pragma("journal_mode", "delete")


@pytest.mark.parametrize("read_only", [False, True])
@pytest.mark.parametrize("change", _CHANGES)
def test_a_foreign_object_makes_a_damaged_database_that_stays_as_it_is(
    filled: Path, change: str, *, read_only: bool
) -> None:
    change_schema(filled, _CHANGES[change])
    before = filled.read_bytes()
    with pytest.raises(DamagedDatabase, match=r"Aurora does not create|not as Aurora creates it|malformed") as caught:
        Memory.open(filled, read_only=read_only)
    assert "aur mem repair" in caught.value.help
    assert filled.read_bytes() == before


def test_the_fault_names_kind_and_name(filled: Path) -> None:
    change_schema(filled, _DELETE_ALL)
    with pytest.raises(DamagedDatabase, match='it contains a trigger that Aurora does not create, "z"'):
        Memory.open(filled)


@pytest.mark.parametrize("change", [_DELETE_ALL, _VIEW_OF_FACTS, _VIEW_OF_RECORDS])
def test_check_reports_a_foreign_object_and_repair_keeps_the_records(filled: Path, change: str) -> None:
    change_schema(filled, change)
    (finding,) = check_memory(filled)
    assert (finding.part, "that Aurora does not create" in finding.message) == ("file", True)

    done = repair_memory(filled, filled.parent.parent, ignore_progress)

    assert done.remaining == ()
    with Memory.open(filled) as memory:
        memory.journal.create("r2", "soar", {"n": 2}, [("assess", {"n": 2})])  # no trigger acts on it
        assert {chunk.symbol for chunk in memory.iter_chunks()} >= {"kept", "price"}
        assert len(memory.journal.steps("r1")) == 1
    assert check_memory(filled) == ()


def test_a_backup_with_a_trigger_is_not_restored(filled: Path) -> None:
    made = create_backup(filled)
    change_schema(made.path, _DELETE_ALL)
    before = filled.read_bytes()
    with pytest.raises(Fault, match=r'is damaged .*trigger that Aurora does not create, "z"') as caught:
        restore_backup(filled, made.name)
    assert caught.value.code is Code.UPSTREAM_ERROR
    assert filled.read_bytes() == before


def test_no_backup_is_made_of_a_database_with_a_view(filled: Path) -> None:
    change_schema(filled, _VIEW_OF_FACTS)
    with pytest.raises(DamagedDatabase):
        create_backup(filled)
    assert list(filled.parent.glob("backups/*")) == []


@pytest.fixture
def older(tmp_path: Path) -> Path:
    database = tmp_path / "older.db"
    with closing(apsw.Connection(str(database))) as db:
        db.execute(_OLDER.read_text(encoding="utf-8"))
    record_own(database)
    return database


@pytest.mark.parametrize(
    "change",
    [
        "CREATE TRIGGER z AFTER DELETE ON chunks BEGIN DELETE FROM runs; END",
        "ALTER TABLE facts RENAME TO facts_real; CREATE VIEW facts AS SELECT 'a' AS key, 'b' AS value",
        "CREATE TABLE contents (path, sha256, rules, body CHECK (hex(body) != ''))",
        "ALTER TABLE chunks ADD COLUMN z TEXT AS (hex(text))",
    ],
)
def test_an_older_database_with_a_foreign_object_is_not_migrated(older: Path, change: str) -> None:
    change_schema(older, change)
    before = older.read_bytes()
    for read_only in (False, True):
        with pytest.raises(DamagedDatabase):
            Memory.open(older, read_only=read_only)
    assert older.read_bytes() == before


def test_an_older_database_with_the_former_index_of_links_is_migrated(older: Path) -> None:
    change_schema(older, "DROP INDEX edges_by_source; CREATE INDEX edges_by_source ON edges (source, kind)")
    with Memory.open(older) as memory:
        assert memory.store.schema_version == schema.VERSION
    Memory.open(older, read_only=True).close()


def test_an_empty_schema_with_a_foreign_trigger_gets_no_tables(tmp_path: Path) -> None:
    database = tmp_path / "memory.db"
    with closing(apsw.Connection(str(database))) as db:
        db.execute("CREATE TABLE nodes (path, n); CREATE TRIGGER z AFTER INSERT ON nodes BEGIN SELECT 1; END")
        db.pragma("application_id", schema.APPLICATION_ID)
    record_own(database)
    with pytest.raises(DamagedDatabase):
        Memory.open(database)


def test_statistics_of_the_planner_and_another_layout_of_the_same_sql_are_no_damage(filled: Path) -> None:
    change_schema(filled, "ANALYZE")
    layout = _REWRITE.format(change="sql = replace(sql, ' (', char(10) || '(   ') WHERE type IN ('index', 'trigger')")
    change_schema(filled, layout)
    for read_only in (False, True):
        with Memory.open(filled, read_only=read_only) as memory:
            assert memory.search("kettles").hits
    assert check_memory(filled) == ()


def test_the_objects_that_are_compared_are_those_of_a_new_database(tmp_path: Path) -> None:
    with closing(apsw.Connection(str(tmp_path / "new.db"))) as db:
        schema.create_schema(db)
        db.execute("ANALYZE")
        created = set(db.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE sql IS NOT NULL"))
        assert created <= _list_current_objects()
        assert {row[1] for row in _list_current_objects() - created} <= {"sqlite_stat1", "sqlite_stat4"}
        require_own_objects(db, tmp_path)


def test_the_checksum_cannot_be_called_by_a_trigger(tmp_path: Path) -> None:
    with closing(apsw.Connection(str(tmp_path / "any.db"))) as db:
        register_seals(db)
        db.execute("CREATE TABLE t (a); CREATE TRIGGER z AFTER INSERT ON t BEGIN SELECT compute_seal('t', NEW.a); END")
        with pytest.raises(apsw.SQLError, match=re.escape("unsafe use of compute_seal()")):
            db.execute("INSERT INTO t VALUES (1)")


def test_a_copy_of_a_worktree_with_a_trigger_is_refused_when_it_is_opened(filled: Path, tmp_path: Path) -> None:
    change_schema(filled, _DELETE_ALL)
    shutil.copy(filled, tmp_path / "view.db")
    with pytest.raises(DamagedDatabase):
        Memory.open(tmp_path / "view.db")
