"""What all tests share: snapshots lie in `snapshots/`, which mirrors `tests/`, one JSON file each."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, settings
from syrupy.extensions.json import JSONSnapshotExtension

from aurora.tools.runtime import Workspace
from aurora.tools.trust import read_contents
from tests.postgres_server import run_server

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from syrupy.assertion import SnapshotAssertion
    from syrupy.location import PyTestLocation

TESTS = Path(__file__).resolve().parent
SNAPSHOTS = TESTS.parent / "snapshots"
CACHE_HOME = tempfile.TemporaryDirectory(prefix="aurora-cache-", ignore_cleanup_errors=True)
"""Folder of the notes that servers leave for hooks, removed at the end."""


# What Hypothesis measures by the clock is the load of the machine, and not the code. The examples are the same each
# time: a change fails for what it changed. `make fuzz` and `make brute` search on.
settings.register_profile(
    "suite", deadline=None, derandomize=True, max_examples=50, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("suite")


def pytest_configure() -> None:
    """Let Ctrl-C reach the tests and the processes that they start, and trust the folders that tests make.

    A shell starts background jobs of scripts with SIGINT ignored, and every process inherits that. A test of the trust
    itself takes AURORA_TRUST out of its environment. Servers leave their notes for hooks in a folder of the tests.
    """
    os.environ["AURORA_TRUST"] = "1"
    if "PYTEST_XDIST_WORKER" not in os.environ:  # a worker inherits the folder
        os.environ["XDG_CACHE_HOME"] = CACHE_HOME.name
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


class Mirrored(JSONSnapshotExtension):
    """`tests/wire/test_listing.py` keeps its snapshots in `snapshots/wire/test_listing/`."""

    @classmethod
    def dirname(cls, *, test_location: PyTestLocation) -> str:
        here = Path(test_location.filepath).resolve().relative_to(TESTS)
        return str(SNAPSHOTS / here.with_suffix(""))


@pytest.fixture(scope="session")
def aur_program() -> Iterator[str]:
    """Return the path of an `aur` that starts five times as fast: `fork_server.py` describes it.

    Tests of imports, of the start and of SIGKILL run `python -m aurora` instead.
    """
    with tempfile.TemporaryDirectory(prefix="aur-") as folder:  # short: a socket's path has at most 107 bytes
        server = subprocess.Popen(
            [sys.executable, str(TESTS / "fork_server.py"), folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert server.stdin is not None
        assert server.stdout is not None
        assert server.stdout.readline() == b"ready\n"
        yield str(Path(folder) / "aur")
        server.stdin.close()
        server.wait()
        server.stdout.close()


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """Start a PostgreSQL server that forgets everything in a power failure, and return its URL."""
    with run_server(fsync="off", full_page_writes="off", synchronous_commit="off") as server:
        yield server.url


@pytest.fixture(autouse=True)
def plan_no_backup(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Plan no backup in the process of the tests: its thread would wait for the end of all tests."""
    if "test_automatic" not in request.node.nodeid:
        monkeypatch.setattr("aurora.memory.sqlite.backup.automatic._is_due", lambda _: False)


@pytest.fixture(params=["file", "server"])
def either_database(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Run a test with the memory of its projects in files, and once more in a database server."""
    kind: str = request.param
    if kind == "server":
        monkeypatch.setenv("AURORA_DATABASE", request.getfixturevalue("postgres_url"))
        monkeypatch.setenv("AURORA_PROJECT", f"test/{uuid4().hex}")
    return kind


@pytest.fixture
def trust_contents(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Trust a folder with all that is in it now, as `aur trust --yes` does, in a person's environment."""

    def trust(root: Path, environ: Mapping[str, str] | None = None) -> None:
        with monkeypatch.context() as patch:
            for name, value in (environ or {}).items():
                patch.setenv(name, value)
            with Workspace(root, read_only=True) as workspace:
                place = workspace.trust.locate()
                workspace.trust.grant(place, read_contents(workspace).definitions)

    return trust


@pytest.fixture
def snapshot(snapshot: SnapshotAssertion) -> SnapshotAssertion:
    return snapshot.use_extension(Mirrored)
