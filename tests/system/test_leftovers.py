"""What killed processes leave behind is removed; what a process still uses, or others made, is not."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from aurora.system.files import identify_place, name_partial, open_temporary_folder, remove_old_partials
from aurora.tools.runtime import Workspace

if TYPE_CHECKING:
    from pathlib import Path

KILLED_IN_FOLDER = """
import os, signal
from aurora.system.files import open_temporary_folder

with open_temporary_folder("test") as folder:
    (folder / "inner").write_text("x")
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture(scope="module")
def ended() -> int:
    """The id of a process that has ended."""
    with subprocess.Popen([sys.executable, "-S", "-c", ""]) as process:
        process.wait()
    return process.pid


def build_name(pid: int, place: str = "", ending: str = "") -> str:
    return f".memory.db.{pid}.{place or identify_place()}.0a1b2c3d.partial{ending}"


def test_a_partial_file_of_an_ended_process_is_removed_with_its_companions(tmp_path: Path, ended: int) -> None:
    for ending in ("", "-wal", "-shm", "-journal"):
        (tmp_path / build_name(ended, ending=ending)).write_text("x", encoding="utf-8")

    remove_old_partials(tmp_path)

    assert list(tmp_path.iterdir()) == []


def test_a_partial_file_of_a_running_process_stays(tmp_path: Path) -> None:
    (tmp_path / name_partial("memory.db")).write_text("x", encoding="utf-8")

    remove_old_partials(tmp_path)

    assert len(list(tmp_path.iterdir())) == 1


def test_a_file_of_another_machine_is_removed_only_when_it_is_old(tmp_path: Path, ended: int) -> None:
    young, old = tmp_path / build_name(ended, "00000000"), tmp_path / build_name(ended, "00000001")
    for path in (young, old):
        path.write_text("x", encoding="utf-8")
    os.utime(old, (time.time() - 4000, time.time() - 4000))

    remove_old_partials(tmp_path)

    assert list(tmp_path.iterdir()) == [young]


def test_no_other_name_and_no_link_is_touched(tmp_path: Path, ended: int) -> None:
    target = tmp_path / "own"
    target.write_text("mine", encoding="utf-8")
    for name in (f".a.{ended}.partial", "a.partial", f"x.{ended}.{identify_place()}.0a1b2c3d.partial", ".bashrc"):
        (tmp_path / name).write_text("mine", encoding="utf-8")
    (tmp_path / build_name(ended)).symlink_to(target)
    (tmp_path / build_name(ended, ending="-wal")).mkdir()
    before = sorted(tmp_path.iterdir())

    remove_old_partials(tmp_path)

    assert sorted(tmp_path.iterdir()) == before


def test_a_name_that_is_as_long_as_the_system_allows_can_still_be_replaced() -> None:
    assert len(name_partial("é" * 127).encode()) < 150


def test_opening_a_project_removes_what_was_left_in_it_unless_it_is_read_only(tmp_path: Path, ended: int) -> None:
    folders = [tmp_path, tmp_path / ".aurora", tmp_path / ".aurora" / "backups" / "hosts"]
    folders[-1].mkdir(parents=True)
    left = [folder / build_name(ended) for folder in folders]
    for path in left:
        path.write_text("x", encoding="utf-8")

    with Workspace(tmp_path, read_only=True):
        assert all(path.exists() for path in left)
    with Workspace(tmp_path):
        assert not any(path.exists() for path in left)


def test_a_data_folder_that_is_a_link_is_not_followed(tmp_path: Path, ended: int) -> None:
    root, other = tmp_path / "root", tmp_path / "other"
    root.mkdir()
    other.mkdir()
    (root / ".aurora").symlink_to(other)
    (other / build_name(ended)).write_text("x", encoding="utf-8")

    with Workspace(root):
        assert (other / build_name(ended)).exists()


def test_the_folder_of_a_killed_process_is_removed_by_the_next_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    done = subprocess.run([sys.executable, "-c", KILLED_IN_FOLDER], check=False)
    assert done.returncode == -signal.SIGKILL
    assert len(list(tmp_path.iterdir())) == 1

    with open_temporary_folder("test") as folder:
        assert list(tmp_path.iterdir()) == [folder]

    assert list(tmp_path.iterdir()) == []
