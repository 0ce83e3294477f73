"""Marks of an account: a key that is private and the same for all processes, and creation times of files."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from aurora.trust import is_signed, sign_words
from aurora.trust.account_key import KEY_FILE, read_birth_time

if TYPE_CHECKING:
    from pathlib import Path

SIGN = "from aurora.trust import sign_words; print(sign_words('run', 'a'))"


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state"


def test_a_signature_is_for_these_words_in_this_order(state: Path) -> None:
    signature = sign_words("run", "ab", "c")
    assert is_signed(signature, "run", "ab", "c")
    for words in (("run", "a", "bc"), ("run", "c", "ab"), ("run", "ab"), ("run", "ab", "c", "")):
        assert not is_signed(signature, *words)
    for wrong in ("", None, 1, signature[:-1], "ä"):
        assert not is_signed(wrong, "run", "ab", "c")
    (key,) = (path for path in (state / "aurora").iterdir())
    assert (key.name, stat.S_IMODE(key.stat().st_mode)) == (KEY_FILE, 0o600)


def test_another_account_signs_otherwise(state: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert state
    signature = sign_words("run", "a")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "other"))
    assert not is_signed(signature, "run", "a")


def test_processes_that_begin_at_once_make_one_key(state: Path) -> None:
    environ = {**os.environ, "XDG_STATE_HOME": str(state)}
    command = [sys.executable, "-c", SIGN]
    many = [subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, text=True) for _ in range(8)]
    signatures = {process.communicate()[0].strip() for process in many}
    assert signatures == {sign_words("run", "a")}
    assert [path.name for path in (state / "aurora").iterdir()] == [KEY_FILE]


@pytest.mark.parametrize("damage", ["cut", "a folder", "written by others"])
def test_where_no_key_can_be_kept_nothing_is_signed_and_anything_is_right(state: Path, damage: str) -> None:
    folder = state / "aurora"
    folder.mkdir(parents=True)
    if damage == "a folder":
        (folder / KEY_FILE).mkdir()
    else:
        (folder / KEY_FILE).write_bytes(b"x" * (32 if damage == "written by others" else 5))
        (folder / KEY_FILE).chmod(0o666 if damage == "written by others" else 0o600)
    assert sign_words("run", "a") == ""
    assert is_signed("anything", "run", "a")


def test_a_creation_time_stays_until_the_file_is_created_again(tmp_path: Path) -> None:
    path = tmp_path / "folder"
    path.mkdir()
    first = read_birth_time(str(path), os.lstat(path))
    (path / "file").touch()
    path.chmod(0o700)
    os.utime(path, (1, 1))
    assert read_birth_time(str(path), os.lstat(path)) == first
    shutil.rmtree(path)
    path.mkdir()
    second = read_birth_time(str(path), os.lstat(path))
    assert second > first or first == second == 0  # a file system without creation times


def test_a_creation_time_is_of_the_link_and_not_of_its_target(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.mkdir()
    before = read_birth_time(str(target), os.lstat(target))
    link.symlink_to(target)
    assert read_birth_time(str(link), os.lstat(link)) >= before


def test_a_missing_path_has_no_creation_time(tmp_path: Path) -> None:
    status = os.lstat(tmp_path)
    assert read_birth_time(str(tmp_path / "missing"), status) == 0
