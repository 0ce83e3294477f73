"""Real code to index: packages of the standard library and click, copied where a test may change them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import TYPE_CHECKING, Protocol
from uuid import uuid4

import click
import pytest

from aurora.memory import Memory
from aurora.memory.postgres.address import parse_address
from aurora.memory.postgres.store import PostgresStore

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from aurora.memory import ServerAddress


class RunForked(Protocol):
    """Runs a program in a fork of a process that has imported Aurora; `forked_runs.py` describes it."""

    def __call__(self, program: str, *arguments: Path, kill_after: float | None = None) -> tuple[int, float]:
        """Return its return code, negative for a signal, and the seconds since its first word."""


@pytest.fixture(scope="session")
def run_forked() -> Iterator[RunForked]:
    environ = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, str(Path(__file__).with_name("forked_runs.py"))]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environ, text=True) as server:
        assert server.stdin is not None
        assert server.stdout is not None

        def run(program: str, *arguments: Path, kill_after: float | None = None) -> tuple[int, float]:
            request = {"program": program, "arguments": [str(each) for each in arguments], "after": kill_after}
            print(json.dumps(request), file=server.stdin, flush=True)
            code, seconds = json.loads(server.stdout.readline())
            return code, seconds

        yield run
        server.stdin.close()
        assert server.wait() == 0


_LEAVE_OUT = shutil.ignore_patterns("__pycache__")


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "project" / ".aurora" / "memory.db"


@pytest.fixture
def file_memory(database: Path) -> Iterator[Memory]:
    with Memory.open(database) as opened:
        yield opened


@pytest.fixture
def server_address(postgres_url: str) -> ServerAddress:
    """Name a new project in a server that has those of other tests."""
    return parse_address(postgres_url, f"test/{uuid4().hex}")


@pytest.fixture
def server_memory(database: Path, server_address: ServerAddress) -> Iterator[Memory]:
    database.parent.mkdir(parents=True, exist_ok=True)
    with Memory(PostgresStore(server_address, database, busy_timeout=5)) as opened:
        yield opened


@pytest.fixture(params=["file", "server"])
def memory(request: pytest.FixtureRequest) -> Memory:
    """Open an empty memory in a file, and one in a server; a test of files overrides it by `file_memory`."""
    opened: Memory = request.getfixturevalue(f"{request.param}_memory")
    return opened


@pytest.fixture
def open_again(memory: Memory, request: pytest.FixtureRequest) -> Callable[..., Memory]:
    """Open the same memory once more, as another process does."""
    if isinstance(memory.store, PostgresStore):
        address = request.getfixturevalue("server_address")
        return lambda **options: Memory(PostgresStore(address, memory.path, busy_timeout=5, **options))
    return lambda **options: Memory.open(memory.path, **options)


def copy_library(to: Path, packages: tuple[str, ...] = ("json", "http")) -> Path:
    """`click` and these packages of the standard library, as a small project."""
    for name in packages:
        shutil.copytree(Path(sysconfig.get_path("stdlib"), name), to / name, ignore=_LEAVE_OUT)
    shutil.copytree(Path(click.__file__).parent, to / "click", ignore=_LEAVE_OUT)
    return to


@pytest.fixture
def library(tmp_path: Path) -> Path:
    return copy_library(tmp_path / "library")


@pytest.fixture(scope="session")
def indexed_library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    root = copy_library(tmp_path_factory.mktemp("indexed"), ("json", "http", "asyncio"))
    (root / "docs").mkdir()
    (root / "docs" / "guide.md").write_text(_GUIDE, encoding="utf-8")
    (root / "tests").mkdir()
    (root / "tests" / "test_decoder.py").write_text(_TEST_FILE, encoding="utf-8")
    with Memory.open(root / ".aurora" / "memory.db") as opened:
        opened.index(root)
        opened.warm_up()
        yield opened


_GUIDE = """\
# Guide

## Installing the package

Run the installer, then restart your terminal so that the new commands are on the path.

## Rotating the credentials

Ask the security team for fresh keys every ninety days; old keys stop working a week later.

## Shipping a release

Tag the commit, push the tag, and the pipeline publishes the wheel.
"""

_TEST_FILE = '''\
"""Tests of the decoder."""

from json.decoder import JSONDecoder


def test_raw_decode_finds_the_end_of_the_document():
    """raw_decode gives the object and the index where the JSON document ended."""
    decoder = JSONDecoder()
    found, end = decoder.raw_decode("[1, 2] rest")
    assert (found, end) == ([1, 2], 6)
'''
