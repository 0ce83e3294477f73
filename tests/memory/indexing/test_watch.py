"""Watching a folder: edits, renames, branches, links, and a folder that is deleted and created again."""

from __future__ import annotations

import queue
import shutil
import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import apsw
import pytest

from aurora.errors import Code, Fault
from aurora.memory import Memory
from aurora.memory.indexing import watch as watch_changes
from aurora.memory.indexing.watch import MAX_PATHS, ChangedPaths, IndexUpdate, watch_project

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PATIENCE = 60.0


class Watcher:
    """A memory that watches a folder in a thread, and its updates."""

    def __init__(self, root: Path, updates: queue.Queue[IndexUpdate] | None = None) -> None:
        self.root = root
        self.updates: queue.Queue[IndexUpdate] = updates or queue.Queue()
        self.memory = Memory.open(root / ".aurora" / "memory.db")
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()
        self.wait_for_update()  # the first is of the whole tree

    def _run(self) -> None:
        watch_project(self.memory, self.root, self._stop, self.updates.put)

    def wait_for_update(self) -> IndexUpdate:
        return self.updates.get(timeout=PATIENCE)

    def list_files(self) -> set[str]:
        return {chunk.path for chunk in self.memory.iter_chunks() if chunk.path}

    def wait_until_indexed(self, files: set[str]) -> None:
        """Wait for updates until exactly these files are indexed."""
        while self.list_files() != files:
            self.wait_for_update()

    def close(self) -> None:
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
def watcher(root: Path) -> Iterator[Watcher]:
    made = Watcher(root)
    yield made
    made.close()


def test_saved_renamed_and_deleted_files_are_indexed(watcher: Watcher, root: Path) -> None:
    (root / "b.py").write_text("def beta():\n    return 2\n", encoding="utf-8")
    watcher.wait_until_indexed({"a.py", "b.py"})
    (root / "b.py").rename(root / "c.py")
    watcher.wait_until_indexed({"a.py", "c.py"})
    (root / "deep").mkdir()
    (root / "deep" / "d.py").write_text("def delta():\n    return 4\n", encoding="utf-8")
    watcher.wait_until_indexed({"a.py", "c.py", "deep/d.py"})
    (root / "a.py").write_text("def omega():\n    return 9\n", encoding="utf-8")
    while not watcher.memory.search("omega").hits or watcher.memory.search("omega").hits[0].chunk.path != "a.py":
        watcher.wait_for_update()
    shutil.rmtree(root / "deep")
    (root / "c.py").unlink()
    watcher.wait_until_indexed({"a.py"})


def test_thousands_of_changes_at_once_cause_one_full_scan(watcher: Watcher, root: Path) -> None:
    for number in range(10 * MAX_PATHS):
        (root / f"part{number}.py").write_text(f"def part{number}():\n    return {number}\n", encoding="utf-8")
    updates = [watcher.wait_for_update()]
    while len(watcher.list_files()) < 10 * MAX_PATHS + 1:
        updates.append(watcher.wait_for_update())
    assert sum(update.read for update in updates) == 10 * MAX_PATHS
    assert any(update.read > 0 and not update.names for update in updates)
    assert len(updates) < 40


def test_a_changed_ignore_file_removes_what_it_names(watcher: Watcher, root: Path) -> None:
    (root / "b.py").write_text("x = 1\n", encoding="utf-8")
    watcher.wait_until_indexed({"a.py", "b.py"})
    (root / ".gitignore").write_text("a.py\n", encoding="utf-8")
    while "a.py" in watcher.list_files():
        watcher.wait_for_update()
    assert "b.py" in watcher.list_files()


def test_files_that_git_and_aurora_write_are_no_change(watcher: Watcher, root: Path) -> None:
    for place in (".git/index", ".aurora/notes.md", "node_modules/x/index.js", "__pycache__/a.pyc"):
        (root / place).parent.mkdir(parents=True, exist_ok=True)
        (root / place).write_text("x", encoding="utf-8")
    (root / "real.py").write_text("y = 2\n", encoding="utf-8")
    assert watcher.wait_for_update().read == 1
    assert watcher.list_files() == {"a.py", "real.py"}


def test_no_file_behind_a_link_is_read(watcher: Watcher, root: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.py").write_text("def outsider():\n    return 0\n", encoding="utf-8")
    (root / "way").symlink_to(outside)
    (root / "file.py").symlink_to(outside / "secret.py")
    (outside / "secret.py").write_text("def outsider():\n    return 1\n", encoding="utf-8")
    (root / "real.py").write_text("y = 2\n", encoding="utf-8")
    watcher.wait_until_indexed({"a.py", "real.py"})


def test_a_folder_that_is_deleted_and_created_again_is_watched_again(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch_changes, "_POLL_SECONDS", 0.1)
    watcher = Watcher(root)
    try:
        root.rename(tmp_path / "elsewhere")
        (tmp_path / "elsewhere" / "b.py").write_text("x = 1\n", encoding="utf-8")
        (tmp_path / "elsewhere").rename(root)
        watcher.wait_until_indexed({"a.py", "b.py"})
        (root / "c.py").write_text("x = 2\n", encoding="utf-8")
        watcher.wait_until_indexed({"a.py", "b.py", "c.py"})
    finally:
        watcher.close()


def test_a_folder_that_is_moved_away_and_back_while_the_watch_begins_is_watched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch_changes, "_POLL_SECONDS", 0.1)

    def follow(number: int) -> bool:
        """Move a folder while its watch begins; return whether a later change is seen."""
        folder, stop, events = tmp_path / f"project{number}", threading.Event(), queue.Queue[ChangedPaths | None]()
        folder.mkdir()

        def watch() -> None:
            events.put(None)
            for event in watch_changes.watch_folder(folder, stop):
                events.put(event)

        thread = threading.Thread(target=watch)
        thread.start()
        events.get(timeout=PATIENCE)
        folder.rename(tmp_path / f"elsewhere{number}")
        (tmp_path / f"elsewhere{number}" / "inside.py").write_text("x = 1\n", encoding="utf-8")
        (tmp_path / f"elsewhere{number}").rename(folder)
        try:
            events.get(timeout=PATIENCE)
            (folder / "later.py").write_text("x = 1\n", encoding="utf-8")
            while (event := events.get(timeout=PATIENCE / 4)) is not None:
                if not event.paths or folder / "later.py" in event.paths:
                    return True
        except queue.Empty:
            return False
        finally:
            stop.set()
            thread.join(PATIENCE)
        return False

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(follow, range(24)))


def test_a_locked_database_is_reported_and_retried(root: Path) -> None:
    with Memory.open(root / ".aurora" / "memory.db") as memory:
        memory.index(root)
    updates: queue.Queue[IndexUpdate] = queue.Queue()
    stop = threading.Event()
    with Memory.open(root / ".aurora" / "memory.db", busy_timeout=0.05) as memory:
        thread = threading.Thread(target=watch_project, args=(memory, root, stop, updates.put))
        thread.start()
        assert updates.get(timeout=PATIENCE).fault is None
        other = apsw.Connection(str(root / ".aurora" / "memory.db"))
        other.execute("BEGIN IMMEDIATE")
        (root / "b.py").write_text("x = 1\n", encoding="utf-8")
        refused = updates.get(timeout=PATIENCE)
        other.execute("ROLLBACK")
        other.close()
        assert refused.fault is not None
        assert refused.fault.code is Code.TIMEOUT
        while (update := updates.get(timeout=PATIENCE)).fault is not None:
            pass
        assert update.read == 1
        stop.set()
        thread.join(PATIENCE)


def test_two_watchers_of_one_project_reach_the_same_state(watcher: Watcher, root: Path) -> None:
    other = Watcher(root, watcher.updates)  # a change that one has indexed is unchanged for the other
    try:
        for number in range(20):
            (root / f"part{number}.py").write_text(f"def part{number}():\n    return {number}\n", encoding="utf-8")
        (root / "a.py").unlink()
        wanted = {f"part{number}.py" for number in range(20)}
        watcher.wait_until_indexed(wanted)
        assert other.list_files() == wanted
        with watcher.memory.store.begin_read() as db:
            assert db.check_integrity(1) == []
    finally:
        other.close()


def test_a_branch_switch_is_indexed(root: Path) -> None:
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
    watcher = Watcher(root)
    try:
        git("switch", "main")
        while not (watcher.list_files() >= {"a.py"} and not any("part" in name for name in watcher.list_files())):
            watcher.wait_for_update()
    finally:
        watcher.close()


def test_a_read_only_memory_cannot_watch(root: Path) -> None:
    with Memory.open(root / ".aurora" / "memory.db") as memory:
        memory.index(root)
    with Memory.open(root / ".aurora" / "memory.db", read_only=True) as memory, pytest.raises(Fault) as raised:
        watch_project(memory, root, threading.Event(), lambda _: None)
    assert raised.value.code is Code.FORBIDDEN
