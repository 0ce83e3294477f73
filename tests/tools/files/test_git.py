"""The git reader lists changes without changing the repository or running its programs."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from aurora.errors import Code, Fault
from aurora.tools.files import open_worktree
from aurora.tools.runtime.dispatch import call_tool
from aurora.tools.runtime.workspace import Workspace
from tests.git import run_git

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Git = Callable[..., str]

ANY = {"most": 100, "skip": []}


@pytest.fixture
def git(root: Path) -> Git:
    """Run git in the project, which it keeps from now on."""

    run = partial(run_git, root)
    run("init", "-q", "-b", "main")
    return run


@pytest.fixture
def committed(root: Path, git: Git) -> Iterator[Workspace]:
    """The project with one commit."""
    git("add", ".")
    git("commit", "-q", "-m", "first")
    with Workspace(root) as workspace:
        yield workspace


def changed(workspace: Workspace, **given: Any) -> dict[str, str]:
    found = call_tool(workspace, "changes.list", given, params=ANY)["files"]
    return {one["path"]: one["status"] for one in found}


def test_added_changed_and_deleted_files_are_listed_with_their_lines(
    root: Path, committed: Workspace, git: Git
) -> None:
    (root / "a.txt").write_text("1\n2\n", encoding="utf-8")
    (root / "b.txt").write_text("1\n", encoding="utf-8")
    git("add", ".")
    git("commit", "-q", "-m", "second")
    (root / "a.txt").write_text("1\n2\n3\n4", encoding="utf-8")
    (root / "b.txt").unlink()
    (root / "new.txt").write_text("one\ntwo", encoding="utf-8")
    (root / "picture.png").write_bytes(b"\x89PNG\0\0")
    tree = open_worktree(root)
    assert tree is not None
    told = {one.path: (one.status, one.added, one.removed) for one in tree.list_changes(tree.head)}
    assert told == {
        "a.txt": ("changed", 2, 0),
        "b.txt": ("deleted", 0, 1),
        "new.txt": ("added", 2, 0),
        "picture.png": ("added", None, 0),
    }
    assert changed(committed).keys() == told.keys()


@pytest.mark.parametrize("name", ["a b.txt", "é.txt", "tab\there.txt", 'quote".txt', "line\nend.txt", "-dash.txt"])
def test_any_file_name_is_listed(root: Path, committed: Workspace, git: Git, name: str) -> None:
    (root / name).write_text("1\n", encoding="utf-8")
    assert changed(committed) == {name: "added"}
    git("add", "--", name)
    assert changed(committed) == {name: "added"}
    assert call_tool(committed, "evidence.check", {"files": [name], "changed": [name]})["holds"] is True


def test_an_ignored_file_is_not_a_change(root: Path, committed: Workspace) -> None:
    (root / ".gitignore").write_text("*.log\n", encoding="utf-8")
    (root / "x.log").write_text("", encoding="utf-8")
    assert changed(committed) == {".gitignore": "added"}


def test_before_the_first_commit_every_file_is_new(root: Path, git: Git) -> None:
    git("add", ".")
    with Workspace(root) as workspace:
        found = changed(workspace)
    assert found
    assert set(found.values()) == {"added"}


def test_the_empty_tree_is_a_base_before_the_first_commit(root: Path, git: Git) -> None:
    tree = open_worktree(root)
    assert tree is not None
    git("add", ".")
    git("commit", "-q", "-m", "first")
    after = open_worktree(root)
    assert after is not None
    assert after.list_changes(after.resolve_base(tree.head))
    assert not after.list_changes(after.resolve_base(""))


def test_a_folder_within_a_repository_lists_its_own_files_relative_to_itself(root: Path, committed: Workspace) -> None:
    del committed
    inner = root / "inner"
    inner.mkdir()
    (inner / "x.txt").write_text("1\n", encoding="utf-8")
    (root / "outer.txt").write_text("1\n", encoding="utf-8")
    with Workspace(inner) as workspace:
        assert changed(workspace) == {"x.txt": "added"}


@pytest.mark.parametrize("base", ["nowhere", "--output=x", "-h", "HEAD~9", "a..b", "main:README.md", "x" * 200])
def test_an_unknown_base_is_refused(root: Path, committed: Workspace, base: str) -> None:
    before = sorted(root.rglob("*"))
    finding = {"path": "x", "line": 1, "severity": "minor", "title": "x", "detail": ""}
    for tool, given, params in (
        ("changes.list", {"base": base}, ANY),
        ("evidence.check", {"changed": ["x"], "since": {"head": base, "files": []}}, {}),
        ("review.settle", {"findings": [finding], "base": base}, {}),
    ):
        with pytest.raises(Fault, match="git has no revision") as raised:
            call_tool(committed, tool, given, params=params)
        assert raised.value.code is Code.NOT_FOUND
    assert sorted(root.rglob("*")) == before


def test_a_program_in_the_repository_s_configuration_is_not_run(root: Path, committed: Workspace, git: Git) -> None:
    kept = git("ls-files").splitlines()[0]  # before the trap is set: the test's own git would spring it
    trap = root / "trap.sh"
    trap.write_text(f"#!/bin/sh\ntouch '{root}/sprung'\ncat\n", encoding="utf-8")
    trap.chmod(0o755)
    git("config", "core.fsmonitor", str(trap))
    git("config", "diff.external", str(trap))
    git("config", "diff.spy.textconv", str(trap))
    (root / ".gitattributes").write_text("* diff=spy\n", encoding="utf-8")
    (root / kept).write_text("changed\n", encoding="utf-8")
    tree = open_worktree(root)
    assert tree is not None
    assert changed(committed)[kept] == "changed"
    assert tree.diff_lines(tree.head)
    assert not (root / "sprung").exists()


def test_a_hook_s_environment_does_not_select_another_repository(
    root: Path, committed: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    (root / "x.txt").write_text("1\n", encoding="utf-8")
    assert changed(committed) == {"x.txt": "added"}


def test_reading_changes_writes_nothing(root: Path, committed: Workspace) -> None:
    readme = next(path for path in root.rglob("*") if path.is_file() and ".git" not in path.parts)
    os.utime(readme, (1, 1))  # the index is stale now, and git would like to write it anew
    index = (root / ".git" / "index").read_bytes()
    changed(committed)
    assert (root / ".git" / "index").read_bytes() == index


def test_without_git_the_error_says_so(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    for path in (os.environ["PATH"], "/nonexistent"):
        monkeypatch.setenv("PATH", path)
        told = call_tool(workspace, "changes.list", {}, params=ANY)
        assert (told["files"], told["head"]) == ([], "")
        assert "name the files" in told["note"]
        evidence = call_tool(workspace, "evidence.check", {"files": ["nothing.py"], "changed": ["nothing.py"]})
        assert (evidence["versioned"], evidence["missing"], evidence["unchanged"]) == (False, ["nothing.py"], [])


@pytest.mark.parametrize("path", ["../outside.txt", "/etc/passwd", ".git/config", "a\0b", "x" * 5000, "."])
def test_a_file_outside_the_project_is_missing_and_never_opened(committed: Workspace, path: str) -> None:
    assert call_tool(committed, "evidence.check", {"files": [path]})["missing"] == [path]


def test_a_deleted_file_counts_as_changed(root: Path, committed: Workspace) -> None:
    gone = next(path for path in sorted(root.rglob("*")) if path.is_file() and ".git" not in path.parts)
    gone.unlink()
    claim = {"changed": [gone.relative_to(root).as_posix()]}
    assert call_tool(committed, "evidence.check", claim)["holds"] is True


def test_named_files_are_included_whether_changed_or_generated(root: Path, committed: Workspace) -> None:
    (root / "a.lock").write_text("1\n", encoding="utf-8")
    (root / "b.lock").write_text("1\n", encoding="utf-8")
    found = call_tool(committed, "changes.list", {"files": ["./a.lock"]}, params={"most": 5, "skip": ["*.lock"]})
    assert [(one["path"], one["status"]) for one in found["files"]] == [("a.lock", "added")]
    rest = call_tool(committed, "changes.list", {}, params={"most": 5, "skip": ["*.lock"]})
    assert (rest["files"], rest["skipped"]) == ([], 2)


def test_omitted_files_are_counted(root: Path, committed: Workspace) -> None:
    for number in range(5):
        (root / f"{number}.txt").write_text("x\n" * (number + 1), encoding="utf-8")
    found = call_tool(committed, "changes.list", {}, params={"most": 2, "skip": []})
    assert [one["path"] for one in found["files"]] == ["4.txt", "3.txt"]
    assert (found["total"], found["left_out"]) == (5, 3)
