"""The memory of a linked worktree is in the main worktree or the bare repository, and nowhere that a clone chooses."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from aurora.memory import database_path, records_path
from aurora.system.git.worktrees import find_linked_worktree, list_linked_worktrees

if TYPE_CHECKING:
    from pathlib import Path

    from .conftest import RunGit


def test_the_view_of_a_linked_worktree_is_in_the_main_one(main: Path, linked: Path) -> None:
    assert database_path(main) == records_path(main) == records_path(linked) == main / ".aurora/memory.db"
    assert database_path(linked) == main / ".aurora/views/linked.db"


def test_a_project_below_the_top_has_its_view_below_the_main_top(main: Path, linked: Path) -> None:
    (linked / "part").mkdir()
    assert database_path(linked / "part") == main / "part/.aurora/views/linked.db"


def test_a_variable_names_the_database_of_a_linked_worktree_too(linked: Path) -> None:
    assert database_path(linked, {"AURORA_DB": "own.db"}) == records_path(linked, {"AURORA_DB": "own.db"})
    assert database_path(linked, {"AURORA_DB": "own.db"}) == linked / "own.db"


def test_a_bare_repository_has_the_memory_of_its_worktrees(main: Path, git: RunGit) -> None:
    bare = main.with_name("bare.git")
    git(main, "clone", "-q", "--bare", str(main), str(bare))
    git(bare, "worktree", "add", "-q", "../one")
    assert database_path(main.with_name("one")) == bare / ".aurora/views/one.db"
    assert list_linked_worktrees(bare) == {"one": main.with_name("one")}


def test_a_hidden_bare_repository_has_the_memory_of_its_worktrees(main: Path, git: RunGit) -> None:
    project = main.with_name("project")
    git(main, "clone", "-q", "--bare", str(main), str(project / ".bare"))
    (project / ".git").write_text("gitdir: ./.bare\n", encoding="utf-8")
    git(project, "worktree", "add", "-q", "one")
    assert database_path(project / "one") == project / ".bare/.aurora/views/one.db"


def test_a_submodule_is_a_project_of_its_own(main: Path, git: RunGit) -> None:
    inner = main.with_name("inner")
    git(main, "clone", "-q", str(main), str(inner))
    git(main, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner), "inner")
    assert (main / "inner/.git").is_file()
    assert database_path(main / "inner") == main / "inner/.aurora/memory.db"


def test_a_shallow_clone_has_a_memory_for_its_worktrees(main: Path, git: RunGit) -> None:
    clone = main.with_name("clone")
    git(main, "clone", "-q", "--depth", "1", main.as_uri(), str(clone))
    git(clone, "worktree", "add", "-q", "../other")
    assert database_path(main.with_name("other")) == clone / ".aurora/views/other.db"


def test_a_moved_worktree_keeps_its_view(main: Path, linked: Path, git: RunGit) -> None:
    git(main, "worktree", "move", str(linked), "../moved")
    assert database_path(main.with_name("moved")) == main / ".aurora/views/linked.db"


def test_a_copied_worktree_does_not_use_the_view_of_the_original(main: Path, linked: Path) -> None:
    copy = main.with_name("copy")
    shutil.copytree(linked, copy)
    assert find_linked_worktree(copy) is None
    assert database_path(copy) == copy / ".aurora/memory.db"


@pytest.mark.parametrize("pointer", ["{main}/.git/worktrees/linked", "{main}/.git", "../main/.git/worktrees/linked"])
def test_a_clone_that_names_another_repository_does_not_get_its_memory(
    main: Path, linked: Path, tmp_path: Path, pointer: str
) -> None:
    clone = tmp_path / "hostile"
    clone.mkdir()
    (clone / ".git").write_text(f"gitdir: {pointer.format(main=main)}\n", encoding="utf-8")
    assert linked.is_dir()
    assert database_path(clone) == clone / ".aurora/memory.db"


def test_an_archive_with_a_repository_of_its_own_stays_in_its_folder(main: Path, tmp_path: Path, git: RunGit) -> None:
    archive = tmp_path / "archive"
    git(main, "clone", "-q", "--bare", str(main), str(archive / "inner"))
    own = archive / "inner/worktrees/w"
    own.mkdir(parents=True)
    (own / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    (own / "commondir").write_text("../..\n", encoding="utf-8")
    (own / "gitdir").write_text(f"{archive}/.git\n", encoding="utf-8")
    (archive / ".git").write_text("gitdir: inner/worktrees/w\n", encoding="utf-8")
    git(archive / "inner", "config", "core.bare", "false")
    git(archive / "inner", "config", "core.worktree", str(main))
    assert database_path(archive).is_relative_to(archive)


def test_a_worktree_that_git_has_forgotten_is_a_project_of_its_own(main: Path, linked: Path) -> None:
    shutil.rmtree(main / ".git/worktrees")
    assert database_path(linked) == linked / ".aurora/memory.db"
