"""A folder that was moved, removed or replaced is not the folder that was opened."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from aurora.errors import Code, Fault
from aurora.memory.files import FolderIdentity

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "project"
    made.mkdir()
    return made


def test_a_folder_is_the_same_until_it_is_moved_and_after_it_came_back(folder: Path) -> None:
    identity = FolderIdentity(folder)
    assert identity.is_same()
    folder.rename(folder.with_name("moved"))
    with pytest.raises(Fault, match="moved or removed") as moved:
        identity.require_same()
    folder.with_name("moved").rename(folder)
    identity.require_same()

    assert moved.value.code is Code.NOT_FOUND
    assert "Restart" in str(moved.value.help)


def test_a_new_folder_of_the_same_name_is_another_even_if_it_is_made_at_once(folder: Path) -> None:
    identity = FolderIdentity(folder)
    folder.rmdir()
    folder.mkdir()

    with pytest.raises(Fault, match="replaced by another folder") as replaced:
        identity.require_same()
    assert replaced.value.code is Code.CONFLICT
    identity.close()
    identity.close()


def test_a_missing_folder_has_no_identity(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        FolderIdentity(tmp_path / "missing")
