"""Search returns the current text of files: changed ones are reindexed first."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING, Any

import apsw
import pytest

from aurora.tools.runtime.dispatch import call_tool
from aurora.tools.runtime.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    for name in ("tea", "coffee", "milk", "water", "juice"):
        text = f"def brew_{name}(cups):\n    return cups * 2\n"
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    with Workspace(folder) as workspace:
        call_tool(workspace, "mem.index", {})
    return folder


def search(root: Path, query: str, **how: Any) -> dict[str, Any]:
    with Workspace(root, **how) as workspace:
        return call_tool(workspace, "mem.search", {"query": query})


def edit(path: Path) -> None:
    path.write_text("# a line above\n" + path.read_text(encoding="utf-8"), encoding="utf-8")


def test_a_hit_in_a_changed_file_is_reindexed_before_it_is_returned(root: Path) -> None:
    edit(root / "tea.py")
    found = search(root, "brew_tea")
    assert (found["hits"][0]["path"], found["hits"][0]["lines"]) == ("tea.py", "1-3")
    assert not any(hit.get("stale") for hit in found["hits"])
    assert "changed" not in found.get("note", "")


def test_a_hit_in_a_deleted_file_is_not_returned(root: Path) -> None:
    (root / "tea.py").unlink()
    assert "tea.py" not in {hit["path"] for hit in search(root, "brew_tea")["hits"]}


def test_hits_in_many_changed_files_stay_stale(root: Path) -> None:
    for path in root.glob("*.py"):
        edit(path)
    found = search(root, "brew cups")
    assert sum(bool(hit.get("stale")) for hit in found["hits"]) == len(found["hits"]) > 3
    assert "5 files changed since they were indexed: run `aur mem index`." in found["note"]


def test_a_read_only_project_returns_stale_hits_unchanged(root: Path) -> None:
    edit(root / "tea.py")
    before = (root / ".aurora" / "memory.db").read_bytes()
    found = search(root, "brew_tea", read_only=True)
    assert found["hits"][0]["stale"]
    assert (root / ".aurora" / "memory.db").read_bytes() == before


def test_a_search_does_not_wait_for_a_writing_process(root: Path) -> None:
    edit(root / "tea.py")
    other = apsw.Connection(str(root / ".aurora" / "memory.db"))
    other.execute("BEGIN IMMEDIATE")
    try:
        assert search(root, "brew_tea")["hits"][0]["stale"]
    finally:
        other.execute("ROLLBACK")
        other.close()


def test_a_moved_project_is_checked_at_its_new_path(root: Path, tmp_path: Path) -> None:
    moved = tmp_path / "moved"
    shutil.copytree(root, moved)  # the old one stays, and says what it always said
    for path in moved.glob("*.py"):
        edit(path)
    assert all(hit["stale"] for hit in search(moved, "brew cups", read_only=True)["hits"])
    assert not any(hit.get("stale") for hit in search(root, "brew cups", read_only=True)["hits"])


def test_a_file_with_only_a_new_mtime_is_not_stale(root: Path) -> None:
    os.utime(root / "tea.py", (1_000_000_000, 1_000_000_000))
    assert not any(hit.get("stale") for hit in search(root, "brew_tea", read_only=True)["hits"])
