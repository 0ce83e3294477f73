"""An index says at which commit it stands, and how many files it is behind; it claims nothing that it does not know."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from aurora.memory.files.gitignore import SECTION
from aurora.memory.indexing import freshness
from aurora.memory.indexing.freshness import FreshnessMonitor
from aurora.memory.maintenance import measure_maintenance
from tests.git import run_git

if TYPE_CHECKING:
    from pathlib import Path

    from aurora.memory import Memory


def measure(memory: Memory, root: Path) -> tuple[str, int | None] | None:
    """A new monitor, which has counted nothing before."""
    return FreshnessMonitor(memory.store).measure(root)


def commit(root: Path) -> str:
    for words in (["init", "-q"], ["add", "-A", "."], ["commit", "-q", "--allow-empty", "-m", os.urandom(4).hex()]):
        run_git(root, *words)
    return run_git(root, "rev-parse", "HEAD")


@pytest.fixture
def memory(file_memory: Memory) -> Memory:
    """What is behind is counted in the tree, and not in the database."""
    return file_memory


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "tree"
    root.mkdir()
    for name in ("a", "b", "c"):
        (root / f"{name}.py").write_text(f"def {name}():\n    return 1\n", encoding="utf-8")
    return root


def test_a_memory_that_was_never_indexed_claims_nothing(memory: Memory, project: Path) -> None:
    assert measure(memory, project) is None


def test_changed_new_and_deleted_files_are_behind(memory: Memory, project: Path) -> None:
    memory.index(project)
    assert measure(memory, project) == ("", 0)
    (project / "a.py").write_text("def a():\n    return 2\n", encoding="utf-8")
    (project / "b.py").unlink()
    (project / "d.py").write_text("def d():\n    return 1\n", encoding="utf-8")
    (project / "picture.png").write_bytes(b"\0\1" * 100)
    assert measure(memory, project) == ("", 3)


def make_binary_files(root: Path, count: int) -> None:
    for number in range(count):
        (root / f"{number}.dat").write_bytes(b"\0\1" * 20)


def test_files_that_an_indexing_left_out_are_not_new_however_many_they_are(memory: Memory, project: Path) -> None:
    make_binary_files(project, 201)
    assert len(memory.index(project).skipped) == 201
    assert measure(memory, project) == ("", 0)
    assert measure_maintenance(memory.store, project).new == 0
    memory.index(project)
    assert measure(memory, project) == ("", 0)


def test_a_file_that_was_left_out_and_becomes_text_is_new(memory: Memory, project: Path) -> None:
    make_binary_files(project, 201)
    memory.index(project)
    (project / "7.dat").write_text("the harbour closes at nine\n", encoding="utf-8")
    assert measure(memory, project) == ("", 1)
    memory.index(project)
    assert measure(memory, project) == ("", 0)
    (project / "7.dat").write_bytes(b"\0\1")
    assert measure(memory, project) == ("", 1)
    memory.index(project)
    assert measure(memory, project) == ("", 0)


def test_new_files_that_are_too_many_to_read_are_counted_as_far_as_they_were_read(
    memory: Memory, project: Path
) -> None:
    memory.index(project)
    make_binary_files(project, 201)
    assert measure(memory, project) == ("", None)
    assert measure_maintenance(memory.store, project).new is None
    (project / "d.py").write_text("def d():\n    return 1\n", encoding="utf-8")
    assert measure(memory, project) == ("", 1)


def test_files_that_were_left_out_by_other_rules_for_secrets_are_read_again(memory: Memory, project: Path) -> None:
    make_binary_files(project, 201)
    memory.index(project)
    (project / ".auroraignore").write_text(f"{SECTION}\ndocs/\n", encoding="utf-8")
    assert measure(memory, project) is not None
    assert measure(memory, project) != ("", 0)


def test_a_file_with_another_time_only_is_not_behind(memory: Memory, project: Path) -> None:
    memory.index(project)
    os.utime(project / "a.py", ns=(1, 1))
    assert measure(memory, project) == ("", 0)


def test_the_commit_and_branch_of_the_last_whole_index_are_among_the_figures(memory: Memory, project: Path) -> None:
    run_git(project, "init", "-q", "-b", "topic")
    first = commit(project)
    memory.index(project)
    assert (memory.stats().commit, memory.stats().branch) == (first, "topic")
    run_git(project, "checkout", "-q", "--detach")
    memory.index(project)
    assert (memory.stats().commit, memory.stats().branch) == (first, "")


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
    memory.freshness.set_followed("")
    (project / "a.py").unlink()
    assert memory.freshness.measure(project) == ("", 0)
    memory.freshness.set_unfollowed()
    assert memory.freshness.measure(project) == ("", 1)


def test_another_commit_under_a_followed_tree_is_compared_at_once(memory: Memory, project: Path) -> None:
    first = commit(project)
    (project / "a.py").unlink()
    second = commit(project)
    memory.index(project)
    memory.freshness.set_followed(second)
    assert memory.freshness.measure(project) == (second[:10], 0)
    run_git(project, "checkout", "-q", first)
    assert memory.freshness.measure(project) == (second[:10], 1)


def test_an_older_index_in_place_of_a_followed_one_is_compared(memory: Memory, project: Path) -> None:
    memory.index(project)
    memory.freshness.set_followed("")
    (project / "a.py").unlink()
    with memory.store.begin_write() as db:
        db.meta.update(indexed_at="2026-01-01T00:00:00Z")
    assert memory.freshness.measure(project) == ("", 1)


def test_a_count_is_not_reused_after_another_commit_or_indexing(
    memory: Memory, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = commit(project)
    memory.index(project)
    monkeypatch.setattr(freshness, "_COST_SHARE", 1e-9)
    assert memory.freshness.measure(project) == (first[:10], 0)
    (project / "a.py").unlink()
    second = commit(project)
    assert memory.freshness.measure(project) == (first[:10], 1)
    memory.index(project)
    assert memory.freshness.measure(project) == (second[:10], 0)


def test_a_project_that_is_gone_is_not_compared(memory: Memory, project: Path) -> None:
    memory.index(project)
    project.rename(project.with_name("moved"))
    assert measure(memory, project) == ("", None)
