"""Two projects in one database: work on one neither reads nor changes a row of the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import uuid4

import psycopg
import pytest

from aurora.memory import Memory
from aurora.memory.postgres.address import parse_address
from aurora.memory.postgres.schema import TABLES
from aurora.memory.postgres.store import PostgresStore
from aurora.memory.records import ConsolidationOptions, consolidate_records, undo_last

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def dump_project(url: str, name: str) -> dict[str, list[Any]]:
    """Read every row of a project, by table."""
    with psycopg.connect(url) as db:
        db.execute("SET search_path TO aurora")
        (project,) = db.execute("SELECT id FROM projects WHERE name = %s", [name]).fetchone() or (0,)
        return {
            table: sorted(db.execute(f"SELECT * FROM {table} WHERE project = %s", [project]).fetchall(), key=repr)
            for table in TABLES
        }


def fill(memory: Memory, root: Path) -> None:
    memory.index(root, paths=[root / "json", root / "http"])
    for number in range(3):
        memory.remember(
            type="know",
            kind="fact",
            symbol="logs",
            text=f"Logs are rotated by hand every week{'.' * number}",
            metadata={},
        )
    memory.record_use([chunk.id for chunk in memory.iter_chunks()][:5])
    memory.journal.create("same", "soar", {"status": "running"}, [("assess", {"n": 1})])
    memory.journal.append("same", 2, [("retrieve", {"n": 2})], {"status": "done"})


def work(memory: Memory, root: Path) -> None:
    """Change as much as a person can."""
    consolidate_records(memory.store, ConsolidationOptions())
    undo_last(memory.store)
    (root / "json" / "decoder.py").unlink()
    memory.index(root)
    memory.search("rotated logs")
    memory.stats()
    memory.journal.remove(memory.journal.runs(10))
    with memory.store.begin_write() as db:
        for table in (db.usage, db.postings, db.contents, db.nodes, db.files, db.runs):
            table.clear()
        db.meta.retain([])
        db.records.clear_undo_entries()
        db.chunks.remove([chunk.id for _, chunk in db.chunks.iter_all()])


@pytest.fixture
def two(postgres_url: str, tmp_path: Path) -> Iterator[tuple[Memory, Memory, str]]:
    name = f"kept/{uuid4().hex}"
    addresses = [parse_address(postgres_url, each) for each in (f"changed/{uuid4().hex}", name)]
    first, second = (Memory(PostgresStore(each, tmp_path / "m.db", busy_timeout=5)) for each in addresses)
    with first, second:
        yield first, second, name


def test_work_on_one_project_changes_no_row_of_another_with_the_same_content(
    two: tuple[Memory, Memory, str], library: Path, postgres_url: str
) -> None:
    changed, kept, name = two
    for memory in two[:2]:
        fill(memory, library)
    before = dump_project(postgres_url, name)
    filled = {table for table, rows in before.items() if rows}
    assert filled >= {"chunks", "files", "vectors", "docs", "postings", "nodes", "refs", "edges", "runs", "steps"}
    found = kept.search("rotated logs")
    work(changed, library)
    assert changed.stats().chunks == {"code": 0, "know": 0, "reas": 0}
    assert changed.journal.runs(10) == ()
    assert dump_project(postgres_url, name) == before
    assert kept.search("rotated logs") == found


def test_a_role_that_sees_one_project_only_gets_the_same_answers(
    two: tuple[Memory, Memory, str], library: Path, postgres_url: str, tmp_path: Path
) -> None:
    """Row level security hides the other rows from a role: a statement that needs them would answer otherwise."""
    other, mine, name = two
    for memory in two[:2]:
        fill(memory, library)
    role = f"one_{uuid4().hex[:8]}"
    with psycopg.connect(postgres_url) as db:
        (project,) = db.execute("SELECT id FROM aurora.projects WHERE name = %s", [name]).fetchone() or (0,)
        db.execute(f"CREATE ROLE {role} LOGIN")
        db.execute(f"GRANT USAGE ON SCHEMA aurora TO {role}")
        db.execute(f"GRANT ALL ON ALL TABLES IN SCHEMA aurora TO {role}")
        db.execute(f"GRANT ALL ON ALL SEQUENCES IN SCHEMA aurora TO {role}")
        for table in TABLES:
            db.execute(f"ALTER TABLE aurora.{table} ENABLE ROW LEVEL SECURITY")
            db.execute(f"CREATE POLICY {role} ON aurora.{table} TO {role} USING (project = {project})")
    address = parse_address(postgres_url.replace("postgres@", f"{role}@"), name)
    try:
        with Memory(PostgresStore(address, tmp_path / "m.db", busy_timeout=5)) as limited:
            for query in ("decode a document", "JSONDecoder", "rotated logs"):
                assert limited.search(query) == mine.search(query)
            assert limited.stats() == mine.stats()
            assert list(limited.iter_chunks()) == list(mine.iter_chunks())
            work(limited, library)
            assert limited.stats().chunks == {"code": 0, "know": 0, "reas": 0}
        assert other.stats().chunks["code"] > 100
    finally:
        with psycopg.connect(postgres_url) as db:
            for table in TABLES:
                db.execute(f"ALTER TABLE aurora.{table} DISABLE ROW LEVEL SECURITY")
                db.execute(f"DROP POLICY {role} ON aurora.{table}")
            db.execute(f"DROP OWNED BY {role}")
            db.execute(f"DROP ROLE {role}")
