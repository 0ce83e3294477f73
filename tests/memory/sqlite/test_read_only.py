"""A memory opened read-only changes no byte and creates no file, whatever other processes do or did."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from aurora.errors import Fault
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
KILLED_BEHIND_HEADER = """
import os, resource, signal, sys
from contextlib import suppress
from pathlib import Path
from aurora.memory import Memory
memory = Memory.open(Path(sys.argv[1]))
log = Path(f"{sys.argv[1]}-wal")
assert log.stat().st_size == 0
resource.setrlimit(resource.RLIMIT_FSIZE, (32, resource.RLIM_INFINITY))  # the header of the log, and no frame
with suppress(Exception):
    memory.remember(type="know", kind="fact", symbol="lost", text="never written", metadata={})
os.kill(os.getpid(), signal.SIGKILL)
"""
"""Process that is killed when it has written the header of the log."""
READER = """
import sys
import apsw
db = apsw.Connection(sys.argv[1])
db.execute("SELECT count(*) FROM sqlite_schema").fetchall()
print(flush=True)
sys.stdin.read()
"""
"""Process that has the database open, and keeps the lock that says so."""
STATES = (
    "clean",
    "killed",
    "killed, without the index",
    "killed, behind the header of the log",
    "killed, before the index has its size",
    "an empty log left",
    "live",
)
HAS_LOGGED = {"clean": 0, "killed, behind the header of the log": 0, "an empty log left": 0}


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
        log = database.with_name("memory.db-wal")
        if state == "killed, behind the header of the log":
            done = subprocess.run([sys.executable, "-c", KILLED_BEHIND_HEADER, str(database)], check=False)
            assert (done.returncode, log.stat().st_size) == (-signal.SIGKILL, 32)
        elif state.startswith("killed"):
            with run_writer(database):
                pass
            assert log.stat().st_size > 0
        if state == "killed, before the index has its size":
            os.truncate(database.with_name("memory.db-shm"), 0)
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


def test_a_read_only_memory_reads_while_the_index_that_a_killed_writer_left_is_torn(tmp_path: Path) -> None:
    database = tmp_path / "memory.db"
    index = database.with_name("memory.db-shm")
    with Memory.open(database) as memory:
        memory.remember(type="know", kind="fact", symbol="stored", text="in the database", metadata={})
    with run_writer(database):
        pass
    command = [sys.executable, "-c", READER, str(database)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "\n"
        with index.open("r+b") as file:
            file.seek(48)  # SQLite writes the second copy of the index's header first (sqlite.org/walformat.html, 2.2)
            file.write(b"\1" * 48)
        before = list_tree(tmp_path)
        with Memory.open(database, read_only=True) as reader:
            assert [chunk.symbol for chunk in reader.iter_chunks()] == ["stored", "logged"]
        assert list_tree(tmp_path) == before
