"""An index says at which commit it stands, and how many files it is behind; it claims nothing that it does not know."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from aurora.memory.indexing import FreshnessMonitor, freshness

if TYPE_CHECKING:
    from pathlib import Path

    from aurora.memory import Memory


def measure(memory: Memory, root: Path) -> tuple[str, int | None]:
    """A new monitor, which has counted nothing before."""
    return tuple(FreshnessMonitor(memory.store).measure(root))


def commit(root: Path) -> str:
    who = {f"GIT_{one}_{what}": "ada@example.org" for one in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    for words in (["init", "-q"], ["add", "-A", "."], ["commit", "-q", "--allow-empty", "-m", "x"]):
        subprocess.run(["git", *words], cwd=root, env={**os.environ, **who}, check=True, capture_output=True)
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=root, check=True, capture_output=True, text=True)
    return head.stdout.strip()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "tree"
    root.mkdir()
    for name in ("a", "b", "c"):
        (root / f"{name}.py").write_text(f"def {name}():\n    return 1\n", encoding="utf-8")
    return root


def test_a_memory_that_was_never_indexed_claims_nothing(memory: Memory, project: Path) -> None:
    assert measure(memory, project) == ("", None)


def test_changed_new_and_deleted_files_are_behind(memory: Memory, project: Path) -> None:
    memory.index(project)
    assert measure(memory, project) == ("", 0)
    (project / "a.py").write_text("def a():\n    return 2\n", encoding="utf-8")
    (project / "b.py").unlink()
    (project / "d.py").write_text("def d():\n    return 1\n", encoding="utf-8")
    (project / "picture.png").write_bytes(b"\0\1" * 100)
    assert measure(memory, project) == ("", 3)


def test_a_file_with_another_time_only_is_not_behind(memory: Memory, project: Path) -> None:
    memory.index(project)
    os.utime(project / "a.py", ns=(1, 1))
    assert measure(memory, project) == ("", 0)


def test_the_commit_is_that_of_the_index_while_it_is_behind(memory: Memory, project: Path) -> None:
    first = commit(project)
    memory.index(project)
    assert measure(memory, project) == (first[:10], 0)
    (project / "a.py").write_text("def a():\n    return 2\n", encoding="utf-8")
    second = commit(project)
    assert measure(memory, project) == (first[:10], 1)
    memory.index(project, paths=[project / "a.py"])
    assert measure(memory, project) == (second[:10], 0)


def test_a_commit_without_a_change_of_files_counts_at_once(memory: Memory, project: Path) -> None:
    commit(project)
    memory.index(project)
    later = commit(project)
    assert measure(memory, project) == (later[:10], 0)


def test_a_tree_that_is_followed_is_not_listed(memory: Memory, project: Path) -> None:
    memory.index(project)
    monitor = memory.freshness
    monitor.set_followed(is_followed=True)
    (project / "a.py").unlink()
    assert monitor.measure(project).behind == 0
    monitor.set_followed(is_followed=False)
    assert monitor.measure(project).behind == 1


def test_a_count_is_reused_for_a_while(memory: Memory, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    memory.index(project)
    monkeypatch.setattr(freshness, "_COST_SHARE", 1e-9)
    assert memory.freshness.measure(project).behind == 0
    (project / "a.py").unlink()
    assert memory.freshness.measure(project).behind == 0


def test_a_very_large_tree_is_not_counted(memory: Memory, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    memory.index(project)
    monkeypatch.setattr(freshness, "_MAX_FILES", 2)
    assert measure(memory, project) == ("", None)


def test_a_project_that_is_gone_is_not_compared(memory: Memory, project: Path) -> None:
    memory.index(project)
    project.rename(project.with_name("moved"))
    assert measure(memory, project) == ("", None)
