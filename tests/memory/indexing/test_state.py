"""The state of an index tells a run that goes on from one that was cut short, across real processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from aurora.memory.indexing import state
from aurora.memory.indexing.state import is_run_active
from aurora.memory.maintenance import check_memory, measure_maintenance
from aurora.system.files import identify_place

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from aurora.memory import Memory

CUT_SHORT = "The last indexing has not finished"
SOME_PATHS = "Only some paths of the project are indexed"

# Index up to the first written batch; go on after a line on stdin, or raise an exception and wait for another line.
INDEXER = """
import sys
from pathlib import Path
from aurora.memory import Memory

def pause(done, total, message):
    if done and not paused:
        paused.append(done)
        print("written", flush=True)
        if sys.stdin.readline() == "raise\\n":
            raise RuntimeError("stop here")

paused = []
with Memory.open(Path(sys.argv[1])) as memory:
    try:
        memory.index(Path(sys.argv[2]), progress=pause)
    except RuntimeError:
        pass
    print("ended", flush=True)
    sys.stdin.readline()
"""

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


@pytest.fixture
def memory(file_memory: Memory) -> Memory:
    """These tests start processes that open the file."""
    return file_memory


@pytest.fixture
def project(database: Path) -> Path:
    root = database.parent.parent
    root.mkdir(parents=True, exist_ok=True)
    for name in ("a", "b", "c"):
        (root / f"{name}.py").write_text(f"def {name}():\n    return 1\n", encoding="utf-8")
    return root


@contextmanager
def start_indexer(memory: Memory, root: Path) -> Iterator[subprocess.Popen[str]]:
    """Start another process that indexes the tree, and wait until it has written its first batch."""
    command = [sys.executable, "-c", INDEXER, str(memory.path), str(root)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert read_line(process) == "written"
            yield process
        finally:
            process.kill()


def read_line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def send_line(process: subprocess.Popen[str], line: str) -> None:
    assert process.stdin is not None
    print(line, file=process.stdin, flush=True)


def edit(root: Path, name: str) -> Path:
    path = root / f"{name}.py"
    path.write_text(f"def {name}():\n    return {len(path.read_text(encoding='utf-8'))}\n", encoding="utf-8")
    return path


def describe(memory: Memory, root: Path) -> tuple[str, str]:
    """The note of a search, and the state in the figures."""
    return memory.search("return").note, measure_maintenance(memory.store, root).state


def test_an_indexing_in_another_process_is_not_cut_short(memory: Memory, project: Path) -> None:
    with start_indexer(memory, project) as indexer:
        note, named = describe(memory, project)
        assert CUT_SHORT not in note
        assert named == "running"
        assert [one.message for one in check_memory(memory.path) if one.part == "text"] == ["an indexing is running"]
        send_line(indexer, "go on")
        assert read_line(indexer) == "ended"
        assert describe(memory, project) == ("", "complete")


def test_a_killed_indexing_is_cut_short_until_the_next(memory: Memory, project: Path) -> None:
    memory.index(project)
    edit(project, "a")
    with start_indexer(memory, project) as indexer:
        indexer.kill()
        assert indexer.wait() == -signal.SIGKILL
    note, named = describe(memory, project)
    assert CUT_SHORT in note
    assert named == "stopped"
    said = [one.message for one in check_memory(memory.path) if one.part == "text"]
    assert said == ["an indexing was cut short, or has just ended"]
    memory.index(project)
    assert describe(memory, project) == ("", "complete")


@linux_only
def test_a_killed_process_that_its_parent_has_not_collected_is_no_indexer(memory: Memory, project: Path) -> None:
    with start_indexer(memory, project) as indexer:
        os.kill(indexer.pid, signal.SIGKILL)
        os.waitid(os.P_PID, indexer.pid, os.WEXITED | os.WNOWAIT)  # ended, and still in the table of processes
        os.kill(indexer.pid, 0)
        assert CUT_SHORT in memory.search("return").note


def test_an_indexing_that_failed_is_cut_short_although_its_process_lives(memory: Memory, project: Path) -> None:
    with start_indexer(memory, project) as indexer:
        send_line(indexer, "raise")
        assert read_line(indexer) == "ended"
        assert indexer.poll() is None
        assert CUT_SHORT in memory.search("return").note


def test_a_few_files_indexed_meanwhile_do_not_take_over_the_run(memory: Memory, project: Path) -> None:
    memory.index(project)
    edit(project, "a")
    with start_indexer(memory, project) as indexer:
        memory.index(project, paths=[edit(project, "b")])
        note, named = describe(memory, project)
        assert CUT_SHORT not in note
        assert named == "running"
        send_line(indexer, "go on")
        assert read_line(indexer) == "ended"
        assert describe(memory, project) == ("", "complete")


def test_an_index_without_changes_does_not_end_the_run_of_another_process(memory: Memory, project: Path) -> None:
    with start_indexer(memory, project) as indexer:
        memory.index(project)
        assert describe(memory, project)[1] == "running"
        send_line(indexer, "go on")
        assert read_line(indexer) == "ended"
        assert describe(memory, project) == ("", "complete")


def test_an_index_of_some_paths_is_not_called_cut_short(memory: Memory, project: Path) -> None:
    memory.index(project, paths=[project / "a.py"])
    note, named = describe(memory, project)
    assert SOME_PATHS in note
    assert CUT_SHORT not in note
    assert named == "partial"
    memory.index(project, paths=[project / "b.py"])
    assert describe(memory, project)[1] == "partial"
    memory.index(project)
    assert describe(memory, project) == ("", "complete")


@linux_only
def test_a_later_process_with_the_same_id_is_not_the_indexer() -> None:
    with subprocess.Popen(["sleep", "60"]) as other:
        assert not is_run_active({"index_state": "running", "index_owner": f"{other.pid}.{identify_place()}.1.ab"})
        other.kill()


@pytest.mark.parametrize("pid", ["", "9" * 5000, str(2**40), str(2**31 - 1), "-1", "\u0663", "x", "1 ", "\0", "1.1"])
def test_an_owner_that_means_nothing_is_not_active(pid: str) -> None:
    for owner in (pid, f"{pid}.", f"{pid}.{identify_place()}", f"{pid}.{identify_place()}.1.ab"):
        assert not is_run_active({"index_state": "running", "index_owner": owner})


def test_a_run_that_ended_after_its_state_was_read_was_not_cut_short(memory: Memory, project: Path) -> None:
    read: list[dict[str, str]] = []

    def read_meta(done: float, _total: float | None, _message: str) -> None:
        if done:
            with memory.store.begin_read() as db:
                read.append(db.meta.get_all())

    memory.index(project, progress=read_meta)
    assert read[0]["index_state"] == "running"
    assert state.describe_state(memory.store, read[0]) == "complete"
