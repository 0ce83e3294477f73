"""A memory opened read-only changes no byte and creates no file, whatever other processes do or did."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from aurora.faults import Fault
from aurora.memory import Memory
from aurora.memory.maintenance import check_memory
from aurora.tools.runtime import call_tool, get_registry
from aurora.tools.runtime.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

WRITER = """
import os, signal, sys
from pathlib import Path
from aurora.memory import Memory
memory = Memory.open(Path(sys.argv[1]))
memory.remember(type="know", kind="fact", symbol="logged", text="only in the log", metadata={})
print(flush=True)
for line in sys.stdin:
    memory.remember(type="know", kind="fact", symbol=line.strip(), text=f"about {line}", metadata={})
    print(flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""
STATES = ("clean", "killed", "killed, without the index", "an empty log left", "live")
HAS_LOGGED = {"clean": 0, "an empty log left": 0}


def list_tree(root: Path) -> dict[str, tuple[int, int, bytes]]:
    """Each path with its mode, the time of its last change, and its bytes."""
    return {
        str(path): (path.lstat().st_mode, path.lstat().st_mtime_ns, path.read_bytes() if path.is_file() else b"")
        for path in (root, *root.rglob("*"))
    }


@contextlib.contextmanager
def run_writer(database: Path) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", WRITER, str(database)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "\n"
        yield process
        assert process.stdin is not None
        process.stdin.close()


@pytest.fixture(params=STATES)
def project(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Path, str]]:
    root = tmp_path / "project"
    root.mkdir()
    (root / "pay.py").write_text("def price(net):\n    return net + 1\n", encoding="utf-8")
    database = root / ".aurora" / "memory.db"
    with Memory.open(database) as memory:
        memory.index(root)
        memory.remember(type="know", kind="fact", symbol="stored", text="in the database", metadata={})
    state = request.param
    with contextlib.ExitStack() as stack:
        if state in {"killed", "killed, without the index"}:
            with run_writer(database):
                pass
            assert database.with_name("memory.db-wal").stat().st_size > 0
        if state == "killed, without the index":
            database.with_name("memory.db-shm").unlink()
        if state == "an empty log left":
            database.with_name("memory.db-wal").touch()
        if state == "live":
            stack.enter_context(run_writer(database))
        yield root, state


def test_every_read_only_tool_leaves_the_tree_as_it_was(
    project: tuple[Path, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, state = project
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    before = list_tree(root)
    with Workspace(root, read_only=True) as workspace:
        registry = get_registry()
        for tool in map(registry.find, registry.names()):
            for example in tool.examples if tool.risk == "read" else ():
                with contextlib.suppress(Fault):
                    call_tool(workspace, tool.name, example.arguments)
        found = [chunk.symbol for chunk in workspace.memory.iter_chunks() if chunk.path is None]
    assert check_memory(root / ".aurora" / "memory.db") == ()

    assert found == ["stored", "logged"][: 1 + HAS_LOGGED.get(state, 1)]
    assert list_tree(root) == before
    assert list(scratch.iterdir()) == []


def test_a_read_only_command_leaves_the_tree_as_it_was(project: tuple[Path, str]) -> None:
    root, _ = project
    before = list_tree(root)
    command = [sys.executable, "-m", "aurora", "--project", str(root), "mem", "search", "price"]
    done = subprocess.run(command, env={**os.environ, "READ_ONLY": "1"}, capture_output=True, text=True, check=True)

    assert "pay.py" in done.stdout
    assert list_tree(root) == before


def test_a_read_only_memory_follows_a_writer_that_comes_and_goes(tmp_path: Path) -> None:
    database = tmp_path / "memory.db"
    with Memory.open(database) as memory:
        memory.remember(type="know", kind="fact", symbol="stored", text="in the database", metadata={})
    with Memory.open(database, read_only=True) as reader:

        def read() -> list[str]:
            return [chunk.symbol for chunk in reader.iter_chunks()]

        assert read() == ["stored"]
        with run_writer(database) as writer:
            assert read() == ["stored", "logged"]
            assert writer.stdin is not None
            assert writer.stdout is not None
            for number in range(3):
                print(f"more{number}", file=writer.stdin, flush=True)
                writer.stdout.readline()
                assert read()[-1] == f"more{number}"
        assert read()[-1] == "more2", "the writer was killed"
        with run_writer(database) as writer:
            assert read()[-1] == "more2", "this writer adds only a fact that exists"
            assert writer.stdin is not None
            assert writer.stdout is not None
            print("last", file=writer.stdin, flush=True)
            writer.stdout.readline()
            assert read()[-1] == "last"
