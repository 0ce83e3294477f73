"""The doctor lists the indexes of linked worktrees, and removes those of worktrees that are gone."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import pytest

from aurora.memory import Memory, database_path
from tests.git import run_git

if TYPE_CHECKING:
    from pathlib import Path

SHOWN = {"memory.worktrees.unreadable", "memory.worktrees.unused"}


@pytest.fixture
def linked(healthy: Any) -> Path:
    """A linked worktree of a healthy project, indexed."""
    place: Path = healthy.root.with_name("linked")
    for words in (
        ["init", "-q"],
        ["commit", "-q", "--allow-empty", "-m", "one"],
        ["worktree", "add", "-q", str(place)],
    ):
        run_git(healthy.root, *words)
    (place / "a.py").write_text("def a():\n    pass\n", encoding="utf-8")
    with Memory.open(database_path(place)) as memory:
        memory.index(place)
    return place


def find(found: dict[str, Any]) -> list[tuple[str, str, str]]:
    rows = [row for group in found["groups"] for row in group["findings"]]
    return [(row["status"], row["kind"], row["message"]) for row in rows if row["check"] == "memory.worktrees"]


def test_the_indexes_of_linked_worktrees_are_listed(healthy: Any, linked: Path) -> None:
    ((status, _, message),) = find(healthy.look("memory.worktrees"))
    assert status == "pass"
    assert f"{linked.name} (linked, complete)" in message


def test_the_index_of_a_worktree_that_is_gone_is_removed_by_a_fix(healthy: Any, linked: Path) -> None:
    view = database_path(linked)
    shutil.rmtree(linked)
    assert [kind for _, kind, _ in find(healthy.look("memory.worktrees"))] == ["", "memory.worktrees.unused"]
    assert view.exists()
    healthy.fix("memory.worktrees")
    assert not view.exists()


def test_an_index_that_cannot_be_opened_is_a_warning(healthy: Any, linked: Path) -> None:
    view = database_path(linked)
    view.write_bytes(b"no database" * 1000)
    assert [kind for _, kind, _ in find(healthy.look("memory.worktrees"))] == ["", "memory.worktrees.unreadable"]
    assert view.exists()


@pytest.mark.parametrize("is_mount_point", [True, False])
def test_the_index_of_a_worktree_on_a_disk_that_is_not_mounted_is_kept(
    healthy: Any, linked: Path, *, is_mount_point: bool
) -> None:
    view = database_path(linked)
    disk = linked.with_name("disk")
    disk.mkdir()
    run_git(healthy.root, "worktree", "move", str(linked), str(disk / "linked"))
    disk.rename(disk.with_name("unplugged"))
    if is_mount_point:
        disk.mkdir()
    assert "memory.worktrees.unused" not in {kind for _, kind, _ in find(healthy.look("memory.worktrees"))}
    healthy.fix("memory.worktrees")
    assert view.exists()


def test_the_index_of_a_locked_worktree_is_kept(healthy: Any, linked: Path) -> None:
    view = database_path(linked)
    run_git(healthy.root, "worktree", "lock", str(linked))
    shutil.rmtree(linked)
    healthy.fix("memory.worktrees")
    assert view.exists()
