"""A server that restarts, fails, locks or refuses is met in words, and loses no step."""

from __future__ import annotations

import threading
import time
import zlib
from contextlib import contextmanager
from typing import TYPE_CHECKING

import psycopg
import pytest

from aurora.errors import Code, Fault
from aurora.memory import Memory, find_server
from tests.postgres_server import PostgresServer, run_server

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from aurora.memory import ServerAddress

ERRORS = {
    "53100": (Code.UPSTREAM_ERROR, "is out of space (the reason)"),
    "57014": (Code.TIMEOUT, "took too long for a statement"),
    "57P01": (Code.UPSTREAM_ERROR, "is not reachable (the reason)"),
    "25006": (Code.FORBIDDEN, "cannot be written (the reason)"),
    "42501": (Code.FORBIDDEN, "cannot be written (the reason)"),
    "54000": (Code.INVALID_INPUT, "a text is too long for the database server (the reason)"),
}
"""Errors of the server by SQLSTATE, and how they are reported."""


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    """A server of these tests alone, which stop it."""
    with run_server() as running:
        yield running


@pytest.fixture
def address(server: PostgresServer, request: pytest.FixtureRequest) -> ServerAddress:
    name = f"t{zlib.crc32(request.node.name.encode())}"
    found = find_server({"AURORA_DATABASE": server.url, "AURORA_PROJECT": name})
    assert found is not None
    return found


def write_run(memory: Memory, run: str) -> None:
    memory.journal.create(run, "soar", {"status": "open"}, [("assess", {"n": run})])


def test_a_memory_goes_on_after_the_server_was_restarted_or_killed(
    server: PostgresServer, address: ServerAddress, database: Path
) -> None:
    with Memory.open(database, server=address) as memory:
        write_run(memory, "first")
        for end in (server.stop, server.kill):
            end()
            server.start()
            write_run(memory, end.__name__)
        assert [run.run for run in memory.journal.runs(9)] == ["kill", "stop", "first"]


def test_a_call_waits_for_a_server_that_comes_back_and_gives_up_on_one_that_does_not(
    server: PostgresServer, address: ServerAddress, database: Path
) -> None:
    with Memory.open(database, server=address) as memory:
        write_run(memory, "first")
        server.stop()
        back = threading.Timer(2, server.start)
        back.start()
        began = time.monotonic()
        assert memory.journal.head("first")
        assert time.monotonic() - began < 8
        back.join()
        server.stop()
        with pytest.raises(Fault) as caught:
            memory.journal.head("first")
        server.start()
    assert caught.value.code is Code.UPSTREAM_ERROR
    assert "is not reachable (connection" in caught.value.message
    assert caught.value.help.startswith("Check that the server runs")


def test_a_lock_of_another_process_is_waited_for_and_then_reported(address: ServerAddress, database: Path) -> None:
    with (
        Memory.open(database, server=address, busy_timeout=0.5) as memory,
        Memory.open(database, server=address, busy_timeout=0.5) as other,
    ):
        write_run(other, "mine")
        with other.store.begin_write(run="mine"), other.store.begin_write():
            assert not memory.is_writable_now()
            with pytest.raises(Fault) as caught:
                memory.remember(type="know", kind="fact", symbol="s", text="Locks are waited for.", metadata={})
            assert caught.value.code is Code.TIMEOUT
            assert "is locked by another process" in caught.value.message
            with pytest.raises(Fault) as caught:
                memory.journal.append("mine", 2, [("decompose", {})], {"status": "open"})
            assert caught.value.code is Code.TIMEOUT
            write_run(memory, "another run needs none of these locks")
        memory.journal.append("mine", 2, [("decompose", {})], {"status": "open"})


@contextmanager
def failing_steps(url: str, project: str, code: str) -> Iterator[None]:
    """Let the server answer each new step with an error of this SQLSTATE."""
    with psycopg.connect(url) as db:
        db.execute(
            "CREATE OR REPLACE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS "
            f"$$ BEGIN RAISE EXCEPTION 'the reason' USING ERRCODE = '{code}'; END $$"
        )
        db.execute(
            f'CREATE TRIGGER fail BEFORE INSERT ON "aurora/{project}".steps FOR EACH ROW EXECUTE FUNCTION fail()'
        )
    try:
        yield
    finally:
        with psycopg.connect(url) as db:
            db.execute(f'DROP TRIGGER fail ON "aurora/{project}".steps')


@pytest.mark.parametrize("code", list(ERRORS))
def test_an_error_in_mid_step_stores_nothing_of_it(
    server: PostgresServer, address: ServerAddress, database: Path, code: str
) -> None:
    with Memory.open(database, server=address) as memory:
        write_run(memory, "run")
        with failing_steps(server.url, address.project, code), pytest.raises(Fault) as caught:
            memory.journal.append("run", 2, [("decompose", {})], {"status": "changed"})
        assert caught.value.code is ERRORS[code][0]
        assert ERRORS[code][1] in caught.value.message
        head = memory.journal.head("run")
        assert head is not None
        assert (head.steps, head.document) == (1, {"status": "open"})
        memory.journal.append("run", 2, [("decompose", {})], {"status": "open"})


def test_a_connection_that_ends_in_mid_transaction_stores_nothing(
    server: PostgresServer, address: ServerAddress, database: Path
) -> None:
    with Memory.open(database, server=address) as memory:
        write_run(memory, "run")
        with pytest.raises(Fault) as caught:
            _clear_after_the_end_of_the_connection(memory, server.url)
        assert caught.value.code is Code.UPSTREAM_ERROR
        assert memory.journal.head("run")


def _clear_after_the_end_of_the_connection(memory: Memory, url: str) -> None:
    with memory.store.begin_write() as db:
        db.runs.clear()
        with psycopg.connect(url) as operator:
            operator.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'aurora'")
        db.runs.clear()


def test_tables_that_were_replaced_start_a_new_epoch(
    server: PostgresServer, address: ServerAddress, database: Path, library: Path
) -> None:
    with Memory.open(database, server=address) as memory:
        memory.index(library)
        before = memory.store.epoch
        assert memory.search("decode a document").hits
        with psycopg.connect(server.url) as db:
            db.execute(f'DROP SCHEMA "aurora/{address.project}" CASCADE')
        with pytest.raises(Fault) as caught:
            memory.search("decode a document")
        assert "are missing" in caught.value.message
    with Memory.open(database, server=address) as restored:
        write_run(restored, "later")
        assert not restored.search("decode a document").hits
        assert restored.store.epoch >= before


def test_runs_that_go_on_while_others_are_pruned_are_kept(address: ServerAddress, database: Path) -> None:
    with Memory.open(database, server=address) as memory, Memory.open(database, server=address) as other:
        for run in ("old", "going on"):
            write_run(memory, run)
        rows = memory.journal.runs(9)
        time.sleep(1.1)  # the time of an update has whole seconds
        entered, done = threading.Event(), []

        def prune() -> None:
            entered.set()
            done.append(other.journal.remove(rows))

        with memory.store.begin_write(run="going on") as db:
            db.runs.update_document("going on", "2999-01-01T00:00:00Z", "{}")
            pruning = threading.Thread(target=prune)
            pruning.start()
            entered.wait()
            time.sleep(0.3)  # it waits for the row by now; without that, the test passes as well
        pruning.join()
        assert done == [1]
        assert [run.run for run in memory.journal.runs(9)] == ["going on"]
