"""Migration of older databases, created by the SQL of their version."""

from __future__ import annotations

import re
from pathlib import Path

import apsw
import pytest

from aurora.memory import Memory
from aurora.memory.maintenance.check import check_memory
from aurora.memory.sqlite import SqliteTables, schema
from aurora.memory.sqlite.file import record_own
from aurora.memory.sqlite.seals import SEALED_COLUMNS
from aurora.memory.text_index import verify as lexicon_verify
from aurora.memory.text_index.index import TextIndex

_SECOND = Path(__file__).with_name("version_2.sql")

_FIRST = """
CREATE TABLE facts (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE files (
    path TEXT PRIMARY KEY, language TEXT NOT NULL, size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL,
    sha256 TEXT NOT NULL, parsed INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE chunks (
    n INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,
    type TEXT NOT NULL CHECK (type IN ('code', 'know', 'reas')),
    path TEXT REFERENCES files (path) ON DELETE CASCADE,
    start_line INTEGER NOT NULL, end_line INTEGER NOT NULL, symbol TEXT NOT NULL, name TEXT NOT NULL,
    kind TEXT NOT NULL, language TEXT NOT NULL, text TEXT NOT NULL, metadata TEXT NOT NULL
) STRICT;
CREATE INDEX chunks_by_path ON chunks (path, type);
CREATE INDEX chunks_by_type ON chunks (type, language);
CREATE INDEX chunks_by_name ON chunks (name) WHERE name != '';
CREATE TABLE vectors (
    n INTEGER PRIMARY KEY REFERENCES chunks (n) ON DELETE CASCADE, type TEXT NOT NULL, body BLOB NOT NULL
) STRICT;
CREATE VIRTUAL TABLE code_words USING fts5 (
    symbol, path, text, content = '', contentless_delete = 1, tokenize = "unicode61 tokenchars '_'"
);
CREATE VIRTUAL TABLE prose_words USING fts5 (
    symbol, path, text, content = '', contentless_delete = 1, tokenize = 'porter unicode61'
);
CREATE TRIGGER chunks_gone AFTER DELETE ON chunks BEGIN
    DELETE FROM code_words WHERE OLD.type = 'code' AND rowid = OLD.n;
    DELETE FROM prose_words WHERE OLD.type != 'code' AND rowid = OLD.n;
END;
CREATE TABLE accesses (id TEXT NOT NULL, at REAL NOT NULL, PRIMARY KEY (id, at)) STRICT, WITHOUT ROWID;
CREATE TABLE runs (
    n INTEGER PRIMARY KEY AUTOINCREMENT, run TEXT NOT NULL UNIQUE, workflow TEXT NOT NULL,
    created_at TEXT NOT NULL, updated_at TEXT NOT NULL, document TEXT NOT NULL
) STRICT;
CREATE TABLE steps (
    run TEXT NOT NULL REFERENCES runs (run) ON DELETE CASCADE, seq INTEGER NOT NULL, phase TEXT NOT NULL,
    at TEXT NOT NULL, document TEXT NOT NULL, PRIMARY KEY (run, seq)
) STRICT;

INSERT INTO facts VALUES ('generation', '7'), ('index_state', 'complete'), ('indexed_at', '2025-01-01T00:00:00Z');
INSERT INTO files VALUES ('old.py', 'python', 20, 1, 'abc', 1);
INSERT INTO chunks VALUES
    (1, 'code:000000000001', 'code', 'old.py', 1, 2, 'old', 'old', 'function', 'python', 'def old(): pass', '{}'),
    (2, 'reas:000000000002', 'reas', NULL, 0, 0, 'pool', 'pool', 'solution', '', 'Raise the zanzibar limit.', '{}'),
    (3, 'know:000000000003', 'know', NULL, 0, 0, 'key', 'key', 'fact', '', 'Keys rotate every ninety days.', '{}');
INSERT INTO code_words (rowid, symbol, path, text) VALUES (1, 'old', 'old.py', 'def old(): pass');
INSERT INTO prose_words (rowid, symbol, path, text) VALUES
    (2, 'pool', '', 'Raise the zanzibar limit.'), (3, 'key', '', 'Keys rotate every ninety days.');
INSERT INTO accesses VALUES ('reas:000000000002', 1700000000.0), ('code:000000000001', 1700000001.0);
INSERT INTO runs (run, workflow, created_at, updated_at, document)
VALUES ('r1', 'soar', '2026-01-05', '2026-01-05', '{"n": 1}');
INSERT INTO steps VALUES ('r1', 1, 'assess', 'then', '{"phase": "assess"}');
PRAGMA user_version = 1;
"""


@pytest.fixture
def first(tmp_path: Path) -> Path:
    database = tmp_path / "memory.db"
    db = apsw.Connection(str(database))
    db.execute(_FIRST)
    db.pragma("application_id", schema.APPLICATION_ID)
    db.close()
    record_own(database)
    return database


def test_records_survive_the_migration_and_are_found_by_their_words(first: Path) -> None:
    with Memory.open(first) as memory:
        assert memory.stats().chunks == {"code": 0, "know": 1, "reas": 1}
        assert memory.find_missing(["reas:000000000002", "know:000000000003"]) == ()
        assert memory.search("zanzibar").hits[0].chunk.id == "reas:000000000002"
        assert memory.search("how often do keys rotate").hits[0].chunk.id == "know:000000000003"
        assert set(memory.compute_activation(["reas:000000000002"])) == {"reas:000000000002"}
        head = memory.journal.head("r1")
        assert head is not None
        assert len(memory.journal.steps("r1")) == 1
    db = apsw.Connection(str(first))
    assert schema.read_version(db) == schema.VERSION
    assert lexicon_verify.verify_index(SqliteTables(db)) == []
    assert db.pragma("integrity_check") == "ok"
    db.close()


def test_a_search_reports_that_files_need_indexing_after_the_migration(first: Path, tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "old.py").write_text("def old():\n    return 'zanzibar'\n", encoding="utf-8")
    with Memory.open(first) as memory:
        assert "aur mem index" in memory.search("zanzibar").note
        assert memory.index(project).added == 1
        found = memory.search("zanzibar")
        assert "aur mem index" not in found.note
        assert {hit.chunk.path for hit in found.hits} == {None, "old.py"}
        assert memory.find_missing(["reas:000000000002"]) == ()
        assert memory.stats().vectors == 3
    db = apsw.Connection(str(first))
    assert lexicon_verify.verify_index(SqliteTables(db)) == []
    db.close()


@pytest.fixture
def second(tmp_path: Path) -> Path:
    database = tmp_path / "memory.db"
    db = apsw.Connection(str(database))
    db.execute(_SECOND.read_text(encoding="utf-8"))
    db.close()
    record_own(database)
    return database


def test_the_postings_of_version_2_are_the_same_after_the_migration(second: Path) -> None:
    db = apsw.Connection(str(second))
    docs = db.execute("SELECT * FROM docs").fetchall()
    meant: dict[str, list[tuple[int, ...]]] = {}
    for term, body in db.execute("SELECT term, body FROM postings ORDER BY segment"):
        meant.setdefault(term, []).extend(_rows_of_version_2(body))
    meant["class"] = meant.pop("clas")  # the old stemmer cut its ending, but not that of its plural
    db.close()
    with Memory.open(second) as memory:
        assert {hit.chunk.path for hit in memory.search("how is a header read").hits} == {"README.md", "reader.py"}
        assert memory.search("zanzibar").hits[0].chunk.symbol == "pool"
    assert [finding.part for finding in check_memory(second)] == ["vectors"]
    db = apsw.Connection(str(second))
    assert db.execute("SELECT * FROM docs").fetchall() == docs
    found = TextIndex().read_postings(SqliteTables(db), list(meant))
    assert {
        term: list(zip(*(field.tolist() for field in posting), strict=True)) for term, posting in found.items()
    } == meant
    assert lexicon_verify.verify_index(SqliteTables(db)) == []
    db.close()


def _rows_of_version_2(body: bytes) -> list[tuple[int, ...]]:
    """Return four arrays: chunk numbers of 32 bits, and counts in the text, the names and the path."""
    size = len(body) // 7
    numbers = [int.from_bytes(body[4 * place : 4 * place + 4], "little") for place in range(size)]
    counts = [body[field * size : (field + 1) * size] for field in (4, 5, 6)]
    return list(zip(numbers, *counts, strict=True))


def test_the_postings_of_version_3_are_rebuilt(tmp_path: Path) -> None:
    database = tmp_path / "memory.db"
    with Memory.open(database) as memory:
        memory.remember(type="know", kind="fact", symbol="s", text="Cookies are signed.", metadata={})
    db = apsw.Connection(str(database))
    for table in SEALED_COLUMNS:
        db.execute(f"ALTER TABLE {table} DROP COLUMN seal")
    db.execute("DROP TABLE shared_records; DROP TABLE contents")
    db.execute("DELETE FROM segments; DELETE FROM postings; PRAGMA user_version = 3")
    db.close()
    with Memory.open(database) as memory:
        assert len(memory.search("cookie", embeddings=False).hits) == 1
    db = apsw.Connection(str(database))
    assert schema.read_version(db) == schema.VERSION
    assert lexicon_verify.verify_index(SqliteTables(db)) == []
    db.close()


@pytest.mark.parametrize("older", ["first", "second"])
def test_a_migrated_database_has_the_same_schema_as_a_new_one(
    older: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    grown: Path = request.getfixturevalue(older)
    with Memory.open(grown), Memory.open(tmp_path / "new.db"):
        pass
    assert _tables(grown) == _tables(tmp_path / "new.db")


def _tables(database: Path) -> set[str]:
    db = apsw.Connection(str(database))
    rows = db.execute("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL").fetchall()
    db.close()
    return {re.sub(r"\s*([(),])\s*", r"\1", " ".join(str(sql).split())) for (sql,) in rows}
