"""The commit that is checked out is read from the files of git, whatever these contain."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from aurora.system.git.repository import read_commit

if TYPE_CHECKING:
    from pathlib import Path


def run_git(root: Path, *words: str) -> str:
    who = {f"GIT_{one}_{what}": "ada@example.org" for one in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    own = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    done = subprocess.run(
        ["git", *words], cwd=root, env={**os.environ, **who, **own}, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "clone"
    root.mkdir()
    run_git(root, "init", "-q", "-b", "main")
    (root / "a.txt").write_text("first\n", encoding="utf-8")
    run_git(root, "add", ".")
    run_git(root, "commit", "-q", "-m", "first")
    return root


def test_the_commit_of_a_branch_is_read(repository: Path) -> None:
    assert read_commit(repository) == run_git(repository, "rev-parse", "HEAD")


def test_the_commit_is_read_from_packed_references(repository: Path) -> None:
    run_git(repository, "pack-refs", "--all")
    assert not (repository / ".git" / "refs" / "heads" / "main").exists()
    assert read_commit(repository) == run_git(repository, "rev-parse", "HEAD")


def test_a_detached_commit_is_read(repository: Path) -> None:
    run_git(repository, "checkout", "-q", "--detach")
    assert read_commit(repository) == run_git(repository, "rev-parse", "HEAD")


def test_the_commit_of_a_linked_worktree_is_its_own(repository: Path) -> None:
    other = repository.with_name("other")
    run_git(repository, "worktree", "add", "-q", "-b", "topic", str(other))
    (other / "a.txt").write_text("second\n", encoding="utf-8")
    run_git(other, "commit", "-q", "-a", "-m", "second")
    assert read_commit(other) == run_git(other, "rev-parse", "HEAD") != read_commit(repository)


def test_a_folder_without_a_commit_has_none(tmp_path: Path) -> None:
    assert read_commit(tmp_path) == ""
    run_git(tmp_path, "init", "-q")
    assert read_commit(tmp_path) == ""


@pytest.mark.parametrize(
    "head",
    [
        b"",
        b"ref: ",
        b"ref: refs/heads/../../../outside",
        b"ref: /etc/hostname",
        b"ref: refs/heads/\0",
        b"ref: refs/heads/" + b"a" * 3000,
        b"ref: refs/heads/\xff\x1b[31m",
        b"not a commit",
        b"0" * 39,
        b"\xff" * 5000,
    ],
)
def test_a_hostile_head_names_no_commit(repository: Path, head: bytes) -> None:
    (repository.parent / "outside").write_text("1" * 40, encoding="utf-8")
    (repository / ".git" / "HEAD").write_bytes(head)
    assert read_commit(repository) == ""


def test_references_in_a_loop_name_no_commit(repository: Path) -> None:
    branch = repository / ".git" / "refs" / "heads" / "main"
    branch.write_text("ref: refs/heads/main\n", encoding="utf-8")
    assert read_commit(repository) == ""


def test_a_pipe_in_place_of_head_is_not_read(repository: Path) -> None:
    (repository / ".git" / "HEAD").unlink()
    os.mkfifo(repository / ".git" / "HEAD")
    assert read_commit(repository) == ""


@pytest.mark.parametrize(
    "pointer", [b"gitdir: .git\n", b"gitdir: \0", b"gitdir:", b"gitdir: " + b"a" * 5000, b"\xff" * 99]
)
def test_a_hostile_file_in_place_of_the_folder_names_no_commit(tmp_path: Path, pointer: bytes) -> None:
    (tmp_path / ".git").write_bytes(pointer)
    assert read_commit(tmp_path) == ""


def test_a_commit_is_found_among_many_packed_references(repository: Path) -> None:
    commit = run_git(repository, "rev-parse", "HEAD")
    (repository / ".git" / "refs" / "heads" / "main").unlink()
    others = "".join(f"{number:040x} refs/heads/{number}/refs/heads/main\n^{1:040x}\n" for number in range(1000))
    packed = repository / ".git" / "packed-refs"
    packed.write_text(
        f"# pack-refs with: peeled fully-peeled sorted\n{others}{commit} refs/heads/main\n", encoding="utf-8"
    )
    assert read_commit(repository) == commit == run_git(repository, "rev-parse", "HEAD")


@pytest.mark.parametrize(
    "packed",
    [
        b"",
        b" refs/heads/main\n",
        b"x refs/heads/main\n",
        b"\n" * 1000,
        b"0" * 10**6 + b" refs/heads/main\n",
        b"\xff" * 10**6,
    ],
)
def test_hostile_packed_references_name_no_commit(repository: Path, packed: bytes) -> None:
    (repository / ".git" / "refs" / "heads" / "main").unlink()
    (repository / ".git" / "packed-refs").write_bytes(packed)
    assert read_commit(repository) == ""


def test_packed_references_larger_than_the_limit_are_not_read_to_the_end(repository: Path) -> None:
    (repository / ".git" / "refs" / "heads" / "main").unlink()
    with (repository / ".git" / "packed-refs").open("wb") as packed:
        packed.truncate(2**40)  # without blocks on the disk
    assert read_commit(repository) == ""


def test_a_reference_that_is_a_link_or_a_folder_names_no_commit(repository: Path) -> None:
    branch = repository / ".git" / "refs" / "heads" / "main"
    (repository.parent / "outside").write_text("1" * 40, encoding="utf-8")
    branch.unlink()
    branch.symlink_to(repository.parent / "outside")
    assert read_commit(repository) == ""
    branch.unlink()
    branch.mkdir()
    assert read_commit(repository) == ""
