"""Two workers and 16 clients over one memory: a PostgreSQL server, its loss, and one SQLite file, over loopback.

`make bench-team TEAM_RUNS=1000`. Each client walks SOAR with the least answers that the schemas allow, through two
`aur mcp` over stdio, and through `aur serve` with two workers over HTTP. A line has calls per second, the median, the
99th percentile, and what the journal lacks or has twice.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from aurora.memory import Memory
from tests.postgres_server import PostgresServer, run_server
from tests.serve.conftest import Home, Served
from tests.worker_processes import Client, Server, Walk, Worker, WorkerError, walk_all

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

RUNS = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000
CALLS = int(sys.argv[2]) if len(sys.argv) > 2 else 30_000  # noqa: PLR2004 - the second argument
CLIENTS = 16
_LOSSES = 40
"""Runs of the measurements in which something is killed."""


@dataclass(frozen=True)
class HttpServer:
    """`aur serve` over HTTP, with a token for one project; each call has a connection of its own."""

    served: Served
    token: str

    def call(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Call a tool; return its structured content.

        Raises:
            WorkerError: the server does not answer.
        """
        try:
            found: dict[str, Any] = self.served.call("/p/app/mcp", tool, arguments, self.token)
        except OSError as error:
            raise WorkerError from error
        return found


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory(prefix="team-") as folder:
        root = make_project(Path(folder) / "project")
        with start_workers(root) as workers:
            measure("SQLite, one file, over stdio", root, workers, RUNS)
        with run_server() as server, name_server(server.url, "team/app"):
            with start_workers(root) as workers:
                measure("PostgreSQL, over stdio", root, workers, RUNS)
            with start_workers(root) as workers:
                measure("PostgreSQL, a worker killed", root, workers, _LOSSES, workers[0].kill)
            with serve(Path(folder) / "home", root, server.url) as http:
                measure("PostgreSQL, over HTTP", root, [http], RUNS)
                measure_memory(http, CALLS)
        measure_failover(root)


def make_project(root: Path) -> Path:
    """Copy some code of the standard library."""
    (root / ".git").mkdir(parents=True)
    shutil.copytree(Path(json.__file__).parent, root / "json", ignore=shutil.ignore_patterns("__pycache__"))
    return root


@contextmanager
def name_server(url: str, project: str) -> Iterator[None]:
    """Name a server to this process and those that it starts."""
    os.environ.update(AURORA_DATABASE=url, AURORA_PROJECT=project)
    try:
        yield
    finally:
        del os.environ["AURORA_DATABASE"], os.environ["AURORA_PROJECT"]


@contextmanager
def start_workers(root: Path) -> Iterator[tuple[Worker, Worker]]:
    """Index the project, and start two `aur mcp`."""
    subprocess.run([sys.executable, "-m", "aurora", "mem", "index"], cwd=root, check=True, capture_output=True)
    with Worker(root, {}) as one, Worker(root, {}) as two:
        yield one, two


@contextmanager
def serve(folder: Path, root: Path, database: str) -> Iterator[HttpServer]:
    """Start `aur serve` with two workers for the indexed project, in a home of its own."""
    folder.mkdir()
    home = Home(folder, {"AURORA_DATABASE": database})
    home.write(
        f'workers = 2\n[projects.app]\nfolder = "{root}"\ndatabase_project = "team/app"\n'
        "[limits]\nrequests_per_second = 9999\nburst = 99999\n"
    )
    token = home.add_token("Ann", "--project", "app", "--scope", "write")
    with home.start() as served:
        yield HttpServer(served, token)


def measure(name: str, root: Path, servers: Sequence[Server], runs: int, act: Callable[[], None] | None = None) -> None:
    """Walk the runs; print the times, and what the journal has of them."""
    orders = [[*servers[number:], *servers[:number]] for number in range(len(servers))]
    clients = [Client(orders[number % len(orders)]) for number in range(CLIENTS)]
    began = time.perf_counter()
    walks: list[Walk] = []
    walking = threading.Thread(target=lambda: walks.extend(walk_all(clients, runs)))
    walking.start()
    while act is not None and count_acknowledged(clients) < runs:
        time.sleep(0.002)
    if act is not None:
        act()
    walking.join()
    seconds = time.perf_counter() - began
    times = [taken for walk in walks for taken in walk.times]
    print(
        f"{name}: {len(walks):,} runs, {len(times):,} calls, {len(times) / seconds:,.0f} calls/s, median "
        f"{median(times):.0f} ms, p99 {quantiles(times, n=100)[98]:.0f} ms, repeated calls "
        f"{sum(client.retries for client in clients)}; {describe_journal(root, walks, clients)}",
        flush=True,
    )


def count_acknowledged(clients: Sequence[Client]) -> int:
    """Count the steps that were answered."""
    return sum(sum(client.acknowledged.values()) for client in clients)


def describe_journal(root: Path, walks: Sequence[Walk], clients: Sequence[Client]) -> str:
    """Count the runs and steps that the journal lacks or has twice."""
    answered = {run: steps for client in clients for run, steps in client.acknowledged.items()}
    lost = doubled = 0
    with Memory.open_project(root, read_only=True) as memory:
        for walk in walks:
            numbers = [step.seq for step in memory.journal.steps(walk.run)]
            lost += max(0, answered.get(walk.run, 0) - len(numbers))
            doubled += len(numbers) - len(set(numbers))
            head = memory.journal.head(walk.run)
            lost += head is None or head.document["status"] != "ended"
    doubled += len(walks) - len({walk.run for walk in walks})
    return f"lost {lost}, doubled {doubled}"


def measure_memory(http: HttpServer, calls: int) -> None:
    """Make so many calls, a third of them in runs of SOAR; print the memory of the workers along the way."""
    words = ("decode", "scanner", "encoder", "float", "colon")
    client = Client([http])
    began, done = time.perf_counter(), 0
    sizes: list[int] = []
    while done < calls:
        if done >= len(sizes) * calls // 10:
            sizes.append(sum(map(read_size, list_workers(http.served.process.pid))))
        walk = client.walk(f"Where is {words[done % 5]} {done} defined?")
        for number in range(2 * len(walk.times)):
            http.call("aurora_search", {"query": f"{words[number % 5]} {done % 97}", "limit": 5})
        done += 3 * len(walk.times)
    seconds = time.perf_counter() - began
    shown = ", ".join(f"{size / 1e6:.0f}" for size in sizes)
    print(f"over HTTP: {done:,} calls, {done / seconds:,.0f}/s, MB of the two workers: {shown}", flush=True)


def list_workers(parent: int) -> list[int]:
    """List the processes that a server has started."""
    return [int(word) for word in Path(f"/proc/{parent}/task/{parent}/children").read_text("ascii").split()]


def read_size(pid: int) -> int:
    """Read the resident memory of a process in bytes."""
    return int(Path(f"/proc/{pid}/statm").read_text("ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")


def measure_failover(root: Path) -> None:
    """Kill the primary in mid-run, and promote a standby that each commit waited for."""
    with run_server(synchronous_standby_names="standby") as primary:
        standby = PostgresServer(primary.folder.with_name("standby"), synchronous_standby_names="''")
        try:
            standby.create_standby(primary)
            hosts = f"{primary.folder},{standby.folder}"
            url = f"postgresql://postgres@/postgres?host={hosts}&target_session_attrs=read-write"
            with name_server(url, "team/app"), Memory.open_project(root) as reader:
                reader.journal.runs(1)

                def lose_primary() -> None:
                    began = time.perf_counter()
                    primary.kill()
                    standby.promote()
                    reader.journal.runs(1)
                    print(f"readers answer {time.perf_counter() - began:.1f} s after the primary was killed")

                with start_workers(root) as workers:
                    measure("PostgreSQL, the primary killed", root, workers, _LOSSES, lose_primary)
        finally:
            standby.stop("immediate")


if __name__ == "__main__":
    main()
