"""A migration copies every row to a server, goes on after SIGKILL, and leaves the file as it is."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import psycopg
import pytest

from aurora.memory import Memory
from aurora.memory.maintenance import check_store
from aurora.memory.postgres.schema import name_schema
from aurora.memory.records import forget_records

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from aurora.memory import ServerAddress

RUNS = 450
_SLOW_RUN = "run-420"


@pytest.fixture
def project(library: Path) -> Path:
    """A project with an index, facts, an entry of the undo log, uses, and runs of three steps."""
    with Memory.open(library / ".aurora" / "memory.db") as memory:
        memory.index(library)
        kept = [
            memory.remember(
                type="know", kind="fact", symbol=f"Rule {n}", text=f"Port {n} is closed.", metadata={"n": n}
            )
            for n in range(5)
        ]
        forget_records(memory.store, [kept[0][0]])
        memory.record_use([id_ for id_, _ in kept[1:]])
        memory.record_use([memory.search("decode a document").hits[0].chunk.id])
        with memory.store.begin_write() as db:
            db.optimize()
        for n in range(RUNS):
            steps = [(phase, {"n": n, "text": "é\0" * (n % 7)}) for phase in ("assess", "decompose", "verify")]
            memory.journal.create(f"run-{n}", "soar", {"status": "ended", "n": n}, steps)
    return library


def migrate(project: Path, address: ServerAddress, *words: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "aurora", "mem", "migrate", "--to", address.url, "--as", address.project]
    return subprocess.Popen(
        [*command, "--json", *words], cwd=project, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


def finish(process: subprocess.Popen[str]) -> dict[str, Any]:
    out, error = process.communicate(timeout=120)
    assert process.returncode == 0, error
    found: dict[str, Any] = json.loads(out)
    return found


def hash_file(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.fixture
def slow_run(server_address: ServerAddress, database: Path) -> Iterator[psycopg.Connection[Any]]:
    """Let the server wait in the insertion of one run."""
    with Memory.open(database, server=server_address) as memory, memory.store.begin_write():
        pass  # makes the tables of the project
    runs = f'"{name_schema(server_address.project)}".runs'
    with psycopg.connect(server_address.url, autocommit=True) as db:
        db.execute(
            "CREATE OR REPLACE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS "
            f"$$ BEGIN IF NEW.run = '{_SLOW_RUN}' THEN PERFORM pg_sleep(60); END IF; RETURN NEW; END $$"
        )
        db.execute(f"CREATE TRIGGER wait BEFORE INSERT ON {runs} FOR EACH ROW EXECUTE FUNCTION wait()")
        yield db
        db.execute(f"DROP TRIGGER IF EXISTS wait ON {runs}")


def test_a_killed_migration_goes_on_and_the_file_is_untouched(
    project: Path, server_address: ServerAddress, slow_run: psycopg.Connection[Any]
) -> None:
    file = project / ".aurora" / "memory.db"
    before = hash_file(file)
    first = migrate(project, server_address)
    waiting = "SELECT pid FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND query LIKE '%%INSERT INTO runs%%'"
    deadline = time.monotonic() + 60
    while not (found := slow_run.execute(waiting).fetchall()):
        assert first.poll() is None, first.communicate()
        assert time.monotonic() < deadline
    first.kill()
    first.communicate()
    slow_run.execute("SELECT pg_terminate_backend(%s)", found[0])
    slow_run.execute("DROP FUNCTION wait CASCADE")

    with Memory.open(file, server=server_address) as memory:
        assert 0 < len(memory.journal.runs(1000)) < RUNS
    done = finish(migrate(project, server_address))
    assert {kind: part["equal"] for kind, part in done["parts"].items()} == {
        "facts and patterns": 4,
        "uses": 5,
        "undo log": 1,
        "runs": RUNS,
        "steps": 3 * RUNS,
    }
    assert all(part["equal"] == part["source"] and not part["differing"] for part in done["parts"].values())
    assert hash_file(file) == before
    with Memory.open(file) as old, Memory.open(file, server=server_address) as new:
        for query in ("decode a document", "port 3 is closed", "JSONDecoder"):
            assert [hit.chunk for hit in old.search(query).hits] == [hit.chunk for hit in new.search(query).hits]
        assert old.journal.steps("run-6") == new.journal.steps("run-6")
        assert [run.run for run in old.journal.runs(9)] == [run.run for run in new.journal.runs(9)]
        assert check_store(new.store) == ()
    again = finish(migrate(project, server_address, "--no-index"))
    assert again["parts"] == done["parts"]


def test_a_row_that_was_changed_on_the_server_stays_and_is_named(project: Path, server_address: ServerAddress) -> None:
    finish(migrate(project, server_address, "--no-index"))
    with Memory.open(project / ".aurora" / "memory.db", server=server_address) as memory:
        memory.journal.append("run-7", 4, [("respond", {})], {"status": "continued"})
    again = migrate(project, server_address, "--no-index")
    out, error = again.communicate(timeout=60)
    assert again.returncode == 1
    assert error == ""
    assert json.loads(out)["error"]["details"] == {"differing": ["runs: run-7"]}
    assert json.loads(out)["error"]["message"].startswith("1 rows differ in postgresql://")
    with Memory.open(project / ".aurora" / "memory.db", server=server_address) as memory:
        assert [step.phase for step in memory.journal.steps("run-7")][-1] == "respond"
