"""Two projects in one database: work on one neither reads nor changes a row of the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import uuid4

import psycopg
import pytest

from aurora.memory import Memory
from aurora.memory.postgres.address import parse_address
from aurora.memory.postgres.pool import close_pool, open_pool
from aurora.memory.postgres.schema import EMPTY, TABLES, name_schema
from aurora.memory.postgres.store import PostgresStore
from aurora.memory.records import ConsolidationOptions, consolidate_records, undo_last

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def dump_project(url: str, name: str) -> dict[str, list[Any]]:
    """Read every row of a project, by table."""
    with psycopg.connect(url) as db:
        db.execute(f'SET search_path TO "{name_schema(name)}"')
        return {table: sorted(db.execute(f"SELECT * FROM {table}").fetchall(), key=repr) for table in TABLES}


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


def test_a_role_that_may_enter_one_project_only_gets_the_same_answers(
    two: tuple[Memory, Memory, str], library: Path, postgres_url: str, tmp_path: Path
) -> None:
    """The server refuses the role every other schema: a statement that reached one would fail."""
    other, mine, name = two
    for memory in two[:2]:
        fill(memory, library)
    role = f"one_{uuid4().hex[:8]}"
    schema = name_schema(name)
    with psycopg.connect(postgres_url) as db:
        db.execute(f"CREATE ROLE {role} LOGIN")
        db.execute(f'GRANT USAGE ON SCHEMA "{schema}" TO {role}')
        db.execute(f'GRANT ALL ON ALL TABLES IN SCHEMA "{schema}" TO {role}')
        db.execute(f'GRANT ALL ON ALL SEQUENCES IN SCHEMA "{schema}" TO {role}')
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
            db.execute(f"DROP OWNED BY {role}")
            db.execute(f"DROP ROLE {role}")


def test_work_leaves_the_schema_of_absent_projects_empty(
    two: tuple[Memory, Memory, str], library: Path, postgres_url: str
) -> None:
    assert two[0].journal.runs(5) == ()
    fill(two[0], library)
    with psycopg.connect(postgres_url) as db:
        filled = [table for table in TABLES if db.execute(f"SELECT 1 FROM {EMPTY}.{table} LIMIT 1").fetchall()]
    assert filled == []


def test_a_statement_outside_of_a_transaction_of_a_project_reaches_no_table(
    two: tuple[Memory, Memory, str], postgres_url: str
) -> None:
    two[0].journal.create("run", "soar", {"status": "open"}, [])
    pool = open_pool(postgres_url)
    try:
        with pool.begin("BEGIN") as db, pytest.raises(psycopg.errors.UndefinedTable):
            db.execute("SELECT * FROM runs")
        with two[0].store.begin_read() as tables:
            assert tables.runs.get_head("run")
        with pool.begin("BEGIN") as db, pytest.raises(psycopg.errors.UndefinedTable):
            db.execute("SELECT * FROM runs")
    finally:
        close_pool(postgres_url)


def test_no_two_projects_share_a_schema() -> None:
    names = ["a", "A", "a/b", "a.b", *(f"{'x' * length}{end}" for length in (55, 56, 57, 199) for end in "12")]
    assert len({name_schema(name) for name in names}) == len(names)
    assert max(len(name_schema(name)) for name in names) == 63
