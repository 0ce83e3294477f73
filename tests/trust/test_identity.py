"""Two folders are the same only when all that is known of them is the same."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import pytest

from aurora.trust.identity import FileStamp, FolderIdentity, MarkStamp, read_birth_time

if TYPE_CHECKING:
    from pathlib import Path

FOLDER, GIT, MARK = FileStamp(10, 111), FileStamp(20, 222), MarkStamp(30, 333)
WHOLE = FolderIdentity(1, FOLDER, GIT, MARK)
PLAIN = FolderIdentity(1, FOLDER, None, None)
UNTIMED_FOLDER, UNTIMED_GIT = FileStamp(10, 0), FileStamp(20, 0)
SAME = {
    "all": (WHOLE, WHOLE),
    "another device number, as after a restart": (WHOLE, FolderIdentity(2, FOLDER, GIT, MARK)),
    "creation times are not known any more": (WHOLE, FolderIdentity(2, UNTIMED_FOLDER, UNTIMED_GIT, MARK)),
    "no git": (PLAIN, FolderIdentity(2, FOLDER, None, None)),
    "a repository since then": (PLAIN, WHOLE),
    "the mark came later": (FolderIdentity(1, FOLDER, GIT, None), WHOLE),
    "nothing but numbers, on the same device": (
        FolderIdentity(1, UNTIMED_FOLDER, UNTIMED_GIT, None),
        FolderIdentity(1, UNTIMED_FOLDER, UNTIMED_GIT, None),
    ),
    "nothing but numbers, without git": (
        FolderIdentity(1, UNTIMED_FOLDER, None, None),
        FolderIdentity(1, UNTIMED_FOLDER, None, None),
    ),
}
OTHER = {
    "folder's inode": (WHOLE, FolderIdentity(1, FileStamp(11, 111), GIT, MARK)),
    "folder's creation": (WHOLE, FolderIdentity(1, FileStamp(10, 112), GIT, MARK)),
    "repository's inode": (WHOLE, FolderIdentity(1, FOLDER, FileStamp(21, 222), MARK)),
    "repository's creation": (WHOLE, FolderIdentity(1, FOLDER, FileStamp(20, 223), MARK)),
    "mark's inode": (WHOLE, FolderIdentity(1, FOLDER, GIT, MarkStamp(31, 333))),
    "mark's time": (WHOLE, FolderIdentity(1, FOLDER, GIT, MarkStamp(30, 334))),
    "no mark": (WHOLE, FolderIdentity(1, FOLDER, GIT, None)),
    "no repository": (WHOLE, PLAIN),
    "plain folder's creation": (PLAIN, FolderIdentity(1, FileStamp(10, 112), None, None)),
    "a clone in the place of an untimed folder": (
        FolderIdentity(1, UNTIMED_FOLDER, None, None),
        FolderIdentity(1, UNTIMED_FOLDER, UNTIMED_GIT, MARK),
    ),
    "nothing but numbers, on another device": (
        FolderIdentity(1, UNTIMED_FOLDER, UNTIMED_GIT, None),
        FolderIdentity(2, UNTIMED_FOLDER, UNTIMED_GIT, None),
    ),
    "nothing but numbers, without git, on another device": (
        FolderIdentity(1, UNTIMED_FOLDER, None, None),
        FolderIdentity(2, UNTIMED_FOLDER, None, None),
    ),
}


@pytest.mark.parametrize(("recorded", "current"), SAME.values(), ids=SAME)
def test_an_identity_stays(recorded: FolderIdentity, current: FolderIdentity) -> None:
    assert recorded.is_same_folder(current)


@pytest.mark.parametrize(("recorded", "current"), OTHER.values(), ids=OTHER)
def test_an_identity_differs(recorded: FolderIdentity, current: FolderIdentity) -> None:
    assert not recorded.is_same_folder(current)


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
