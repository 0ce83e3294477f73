"""Two workers over one database: runs go on after SIGKILL of a worker, and after the loss of the primary."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
import pytest

from aurora.memory import Memory, find_server
from tests.postgres_server import PostgresServer, run_server
from tests.worker_processes import Client, Walk, Worker, walk_all

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence


RUNS = 24
READ_AGAIN_SECONDS = 20.0
"""Bound on a busy machine; `make bench-team` prints what it takes."""


@pytest.fixture
def indexed(library: Path, postgres_url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An indexed project in the server."""
    monkeypatch.setenv("AURORA_DATABASE", postgres_url)
    monkeypatch.setenv("AURORA_PROJECT", f"workers/{tmp_path.parent.name}.{os.getpid()}")
    subprocess.run([sys.executable, "-m", "aurora", "mem", "index"], cwd=library, check=True, capture_output=True)
    return library


@contextmanager
def run_team(root: Path, clients: int) -> Iterator[tuple[list[Worker], list[Client]]]:
    """Run two workers, each the first of half of the clients."""
    with Worker(root, {}) as one, Worker(root, {}) as two:
        orders = [(one, two), (two, one)]
        yield [one, two], [Client(orders[number % 2]) for number in range(clients)]


def walk_until(clients: Sequence[Client], reached: Callable[[], bool], act: Callable[[], None]) -> list[Walk]:
    """Walk all runs, and act in the middle of them."""
    walks: list[Walk] = []
    walking = threading.Thread(target=lambda: walks.extend(walk_all(clients, RUNS)))
    walking.start()
    while not reached():
        assert walking.is_alive()
        time.sleep(0.002)
    act()
    walking.join()
    return walks


def count_acknowledged(clients: Sequence[Client]) -> int:
    return sum(sum(client.acknowledged.values()) for client in clients)


def check_journal(walks: Sequence[Walk], clients: Sequence[Client]) -> None:
    """Check that each run ended once, with each step once, and with all that were answered."""
    assert len({walk.run for walk in walks}) == len(walks) == RUNS
    answered = {run: steps for client in clients for run, steps in client.acknowledged.items()}
    with Memory.open_project(Path("nowhere"), read_only=True) as memory:
        for walk in walks:
            head, steps = memory.journal.head(walk.run), memory.journal.steps(walk.run)
            assert head is not None
            assert head.document["status"] == "ended"
            assert [step.seq for step in steps] == list(range(1, len(steps) + 1))
            assert len(steps) >= answered.get(walk.run, 0)


def test_a_worker_killed_in_mid_run_is_continued_by_the_other(indexed: Path) -> None:
    with run_team(indexed, 6) as (workers, clients):
        walks = walk_until(clients, lambda: count_acknowledged(clients) >= RUNS // 2, workers[0].kill)
        assert sum(client.retries for client in clients)
    check_journal(walks, clients)


def test_a_promoted_standby_has_every_step_that_was_answered(
    library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with run_server() as primary, run_standby(primary) as standby:
        hosts = f"{primary.folder},{standby.folder}"
        url = f"postgresql://postgres@/postgres?host={hosts}&target_session_attrs=read-write"
        monkeypatch.setenv("AURORA_DATABASE", url)
        monkeypatch.setenv("AURORA_PROJECT", "failover")
        address = find_server()
        assert address is not None
        with Memory.open(tmp_path / "memory.db", server=address) as reader, run_team(library, 4) as (_, clients):
            took: list[float] = []
            assert reader.journal.runs(1) == ()

            def lose_primary() -> None:
                began = time.monotonic()
                primary.kill()
                standby.promote()
                reader.journal.runs(5)
                took.append(time.monotonic() - began)

            walks = walk_until(clients, lambda: count_acknowledged(clients) >= RUNS // 2, lose_primary)
            assert took[0] < READ_AGAIN_SECONDS
            assert reader.store.epoch == 1
        check_journal(walks, clients)


@contextmanager
def run_standby(primary: PostgresServer) -> Iterator[PostgresServer]:
    """Run a standby that the primary waits for at each commit."""
    standby = PostgresServer(primary.folder.with_name("standby"))
    try:
        standby.create_standby(primary)
        with psycopg.connect(primary.url, autocommit=True) as db:
            db.execute("ALTER SYSTEM SET synchronous_standby_names TO 'standby'")
            db.execute("SELECT pg_reload_conf()")
            deadline = time.monotonic() + 30
            while db.execute("SELECT sync_state FROM pg_stat_replication").fetchall() != [("sync",)]:
                assert time.monotonic() < deadline
                time.sleep(0.05)
        yield standby
    finally:
        standby.stop("immediate")
