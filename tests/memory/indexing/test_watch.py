"""The memory follows a folder on disk: edits, renames, branches, links, and a folder that goes and comes back."""

from __future__ import annotations

import queue
import shutil
import subprocess
import threading
from typing import TYPE_CHECKING

import apsw
import pytest

from aurora.faults import Code, Fault
from aurora.memory import Memory
from aurora.memory.indexing import watch_events as watch_changes
from aurora.memory.indexing.watch import IndexUpdate, watch_project
from aurora.memory.indexing.watch_events import MAX_PATHS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PATIENCE = 60.0


class Follower:
    """A memory that follows a folder in a thread, and what it tells."""

    def __init__(self, root: Path, told: queue.Queue[IndexUpdate] | None = None) -> None:
        self.root = root
        self.told: queue.Queue[IndexUpdate] = told or queue.Queue()
        self.memory = Memory.open(root / ".aurora" / "memory.db")
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()
        self.next()  # the first is of the whole tree; what changes from now on is followed

    def _run(self) -> None:
        watch_project(self.memory, self.root, self._stop, self.told.put)

    def next(self) -> IndexUpdate:
        return self.told.get(timeout=PATIENCE)

    def files(self) -> set[str]:
        return {chunk.path for chunk in self.memory.iter_chunks() if chunk.path}

    def until(self, files: set[str]) -> None:
        """Wait for updates until exactly these files are held."""
        while self.files() != files:
            self.next()

    def end(self) -> None:
        self._stop.set()
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive()
        self.memory.close()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path.resolve() / "project"
    folder.mkdir()
    (folder / "a.py").write_text("def alpha():\n    return 1\n", encoding="utf-8")
    return folder


@pytest.fixture
def follower(root: Path) -> Iterator[Follower]:
    made = Follower(root)
    yield made
    made.end()


def test_what_is_saved_renamed_and_deleted_is_followed(follower: Follower, root: Path) -> None:
    (root / "b.py").write_text("def beta():\n    return 2\n", encoding="utf-8")
    follower.until({"a.py", "b.py"})
    (root / "b.py").rename(root / "c.py")
    follower.until({"a.py", "c.py"})
    (root / "deep").mkdir()
    (root / "deep" / "d.py").write_text("def delta():\n    return 4\n", encoding="utf-8")
    follower.until({"a.py", "c.py", "deep/d.py"})
    (root / "a.py").write_text("def omega():\n    return 9\n", encoding="utf-8")
    while not follower.memory.search("omega").hits or follower.memory.search("omega").hits[0].chunk.path != "a.py":
        follower.next()
    shutil.rmtree(root / "deep")
    (root / "c.py").unlink()
    follower.until({"a.py"})


def test_thousands_of_changes_at_once_are_one_look_at_everything(follower: Follower, root: Path) -> None:
    for number in range(10 * MAX_PATHS):
        (root / f"part{number}.py").write_text(f"def part{number}():\n    return {number}\n", encoding="utf-8")
    updates = [follower.next()]
    while len(follower.files()) < 10 * MAX_PATHS + 1:
        updates.append(follower.next())
    assert sum(update.read for update in updates) == 10 * MAX_PATHS
    assert any(update.read > 0 and not update.names for update in updates)
    assert len(updates) < 40


def test_an_ignore_file_that_changes_takes_out_what_it_names_now(follower: Follower, root: Path) -> None:
    (root / "b.py").write_text("x = 1\n", encoding="utf-8")
    follower.until({"a.py", "b.py"})
    (root / ".gitignore").write_text("a.py\n", encoding="utf-8")
    while "a.py" in follower.files():
        follower.next()
    assert "b.py" in follower.files()


def test_what_git_and_aurora_write_for_themselves_is_no_change(follower: Follower, root: Path) -> None:
    for place in (".git/index", ".aurora/notes.md", "node_modules/x/index.js", "__pycache__/a.pyc"):
        (root / place).parent.mkdir(parents=True, exist_ok=True)
        (root / place).write_text("x", encoding="utf-8")
    (root / "real.py").write_text("y = 2\n", encoding="utf-8")
    assert follower.next().read == 1
    assert follower.files() == {"a.py", "real.py"}


def test_nothing_behind_a_link_is_read(follower: Follower, root: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.py").write_text("def outsider():\n    return 0\n", encoding="utf-8")
    (root / "way").symlink_to(outside)
    (root / "file.py").symlink_to(outside / "secret.py")
    (outside / "secret.py").write_text("def outsider():\n    return 1\n", encoding="utf-8")
    (root / "real.py").write_text("y = 2\n", encoding="utf-8")
    follower.until({"a.py", "real.py"})


def test_a_folder_that_goes_and_comes_back_is_followed_again(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch_changes, "_POLL_SECONDS", 0.1)
    follower = Follower(root)
    try:
        root.rename(tmp_path / "elsewhere")
        (tmp_path / "elsewhere" / "b.py").write_text("x = 1\n", encoding="utf-8")
        (tmp_path / "elsewhere").rename(root)
        follower.until({"a.py", "b.py"})
        (root / "c.py").write_text("x = 2\n", encoding="utf-8")
        follower.until({"a.py", "b.py", "c.py"})
    finally:
        follower.end()


def test_a_database_that_another_process_writes_is_told_and_waited_for(root: Path) -> None:
    with Memory.open(root / ".aurora" / "memory.db") as memory:
        memory.index(root)
    told: queue.Queue[IndexUpdate] = queue.Queue()
    stop = threading.Event()
    with Memory.open(root / ".aurora" / "memory.db", patience=0.05) as memory:
        thread = threading.Thread(target=watch_project, args=(memory, root, stop, told.put))
        thread.start()
        assert told.get(timeout=PATIENCE).fault is None
        other = apsw.Connection(str(root / ".aurora" / "memory.db"))
        other.execute("BEGIN IMMEDIATE")
        (root / "b.py").write_text("x = 1\n", encoding="utf-8")
        refused = told.get(timeout=PATIENCE)
        other.execute("ROLLBACK")
        other.close()
        assert refused.fault is not None
        assert refused.fault.code is Code.TIMEOUT
        while (update := told.get(timeout=PATIENCE)).fault is not None:
            pass
        assert update.read == 1
        stop.set()
        thread.join(PATIENCE)


def test_two_that_follow_one_project_come_to_the_same(follower: Follower, root: Path) -> None:
    other = Follower(root, follower.told)  # what one has done, the other does not tell of
    try:
        for number in range(20):
            (root / f"part{number}.py").write_text(f"def part{number}():\n    return {number}\n", encoding="utf-8")
        (root / "a.py").unlink()
        wanted = {f"part{number}.py" for number in range(20)}
        follower.until(wanted)
        assert other.files() == wanted
        with follower.memory.store.begin_read() as db:
            assert db.integrity.check_integrity(1) == []
    finally:
        other.end()


def test_another_branch_is_followed(root: Path) -> None:
    def git(*words: str) -> None:
        who = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"]
        subprocess.run(["git", *who, *words], cwd=root, check=True, capture_output=True)

    git("init")
    (root / ".gitignore").write_text(".aurora/\n", encoding="utf-8")
    git("add", ".")
    git("commit", "-m", "one")
    git("switch", "-c", "other")
    (root / "a.py").unlink()
    for number in range(30):
        (root / f"part{number}.py").write_text(f"x = {number}\n", encoding="utf-8")
    git("add", "-A")
    git("commit", "-m", "two")
    follower = Follower(root)
    try:
        git("switch", "main")
        while not (follower.files() >= {"a.py"} and not any("part" in name for name in follower.files())):
            follower.next()
    finally:
        follower.end()


def test_a_memory_that_may_not_be_written_cannot_follow(root: Path) -> None:
    with Memory.open(root / ".aurora" / "memory.db") as memory:
        memory.index(root)
    with Memory.open(root / ".aurora" / "memory.db", read_only=True) as memory, pytest.raises(Fault) as raised:
        watch_project(memory, root, threading.Event(), lambda _: None)
    assert raised.value.code is Code.FORBIDDEN
