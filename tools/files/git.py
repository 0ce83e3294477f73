"""Git reader: the changes of a project.

It is read-only, limited in time and size, and runs no program that the repository names.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from aurora.faults import Code, Fault
from aurora.faults.git import export_files, find_repository, open_session
from aurora.faults.paths import read_plain

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from aurora.faults.git import GitSession, Repository

MAX_NEW_FILE_BYTES = 1_000_000
"""Bytes of a new file that are read; a longer one counts as data."""

_DIFF_OPTIONS = ("--no-color", "--no-ext-diff", "--no-textconv", "--no-renames", "--ignore-submodules", "--relative")
_OWN_FILES = frozenset({".aurora/.gitignore"})
"""Files that Aurora writes itself."""

_MAIN_BRANCHES = (
    *("refs/remotes/origin/HEAD", "refs/remotes/origin/main", "refs/remotes/origin/master"),
    *("refs/heads/main", "refs/heads/master"),
)

Status = Literal["added", "changed", "deleted"]
_STATUSES: dict[str, Status] = {"A": "added", "D": "deleted"}


@dataclass(frozen=True, slots=True)
class FileChange:
    """Changed file; the numbers of lines are None for a binary file."""

    path: str
    status: Status
    added: int | None
    removed: int | None


@dataclass(frozen=True, slots=True)
class Worktree:
    """Project in a git repository.

    Attributes:
        root: the project's folder; paths are relative to it.
        head: the current commit; before the first commit, the empty tree.
        repository: the repository.
    """

    root: Path
    head: str
    repository: Repository

    def resolve_base(self, named: str) -> str:
        """Return the merge base of `named` and the head; without a name, the head.

        Raises:
            Fault: NOT_FOUND for an unknown revision.
        """
        if not named:
            return self.head
        with open_session(self.repository) as git:
            for kind in ("commit", "tree"):
                found = _find_revision(git, named, kind)
                if found:
                    return (git.read_line("merge-base", found, self.head) if kind == "commit" else "") or found
        raise Fault(
            Code.NOT_FOUND,
            f'git has no revision "{named[:80]}" here',
            help="Give a branch, a tag or a commit, or omit `base` to compare with the last commit.",
            details={"base": named[:80]},
        )

    def find_fork(self) -> str:
        """Return the commit at which the branch left the main branch; the head without a main branch."""
        with open_session(self.repository) as git:
            for name in _MAIN_BRANCHES:
                if found := _find_revision(git, name, "commit"):
                    return git.read_line("merge-base", found, self.head) or self.head
        return self.head

    def list_changes(self, base: str) -> tuple[FileChange, ...]:
        """List the files that differ from the base by path, new files included, ignored files not.

        Args:
            base: a commit from `resolve_base`.
        """
        with self._open() as git:
            counts: dict[str, tuple[int | None, int | None]] = {}
            for entry in _split_nul(_run_diff(git, "--numstat", "-z", base)):
                added, removed, path = entry.split("\t", 2)
                counts[path] = _parse_count(added), _parse_count(removed)
            words = _split_nul(_run_diff(git, "--name-status", "-z", base))
            untracked = _list_untracked(git)
        known = zip(words[1::2], words[::2], strict=False)
        tracked = [
            FileChange(path, _STATUSES.get(mark[:1], "changed"), *counts.get(path, (None, None)))
            for path, mark in known
        ]
        new = [FileChange(path, "added", _count_lines(self.read_untracked(path)), 0) for path in untracked]
        return tuple(sorted((one for one in (*tracked, *new) if one.path not in _OWN_FILES), key=lambda one: one.path))

    def list_untracked(self) -> tuple[str, ...]:
        """List the files that are neither tracked nor ignored."""
        with self._open() as git:
            return _list_untracked(git)

    def read_untracked(self, path: str) -> bytes | None:
        """Return one byte more than `MAX_NEW_FILE_BYTES` of a listed file; None for a link or a special file."""
        return read_plain(self.root / path, MAX_NEW_FILE_BYTES + 1)

    def read_committed(self, path: str, commit: str) -> bytes | None:
        """Return the content of a file at a commit; None if the commit does not have it."""
        with open_session(self.repository) as git:
            return git.run("cat-file", "blob", f"{commit}:./{path}")

    def is_tracked(self, path: str) -> bool:
        """Return whether git tracks the file, which may not be in a commit yet."""
        with self._open() as git:
            return git.run("ls-files", "--error-unmatch", "-z", "--", f":(literal){path}") is not None

    def diff_lines(self, base: str) -> str:
        """Return the changed lines as `git diff -U0`, without untracked files."""
        with self._open() as git:
            return _run_diff(git, "-U0", base)

    def resolve_commit(self, named: str) -> str:
        """Return the commit of a revision.

        Raises:
            Fault: NOT_FOUND for an unknown revision.
        """
        with open_session(self.repository) as git:
            found = _find_revision(git, named, "commit")
        if not found:
            raise Fault(
                Code.NOT_FOUND,
                f'git has no revision "{named[:80]}" here',
                help="Give a branch, a tag or a commit.",
                details={"revision": named[:80]},
            )
        return found

    def extract_folder(self, commit: str, folder: str, into: Path) -> None:
        """Extract a folder of a commit into `into`; do nothing if the commit has no such folder."""
        with open_session(self.repository) as git:
            export_files(git, commit, into, folder=folder)

    @contextmanager
    def _open(self) -> Iterator[GitSession]:
        with open_session(self.repository, compares=True) as git:
            yield git


def open_worktree(root: Path) -> Worktree | None:
    """Return the project's work tree, or None without a repository.

    Raises:
        Fault: UPSTREAM_ERROR when there is a repository and git is not installed; FORBIDDEN when `.git` leads to the
            repository of another folder.
    """
    repository = find_repository(root)
    if repository is None:
        return None
    with open_session(repository) as git:
        head = git.read_line("rev-parse", "--verify", "-q", "HEAD^{commit}")
        head = head or git.read_line("hash-object", "-t", "tree", "--stdin")
    return Worktree(root, head, repository) if head else None


def _find_revision(git: GitSession, named: str, kind: str) -> str:
    if named.startswith("-") or "\0" in named:
        return ""
    return git.read_line("rev-parse", "--verify", "-q", "--end-of-options", f"{named}^{{{kind}}}")


def _run_diff(git: GitSession, *words: str) -> str:
    return (git.run("diff", *_DIFF_OPTIONS, *words, "--", ".") or b"").decode("utf-8", "replace")


def _list_untracked(git: GitSession) -> tuple[str, ...]:
    listed = git.run("ls-files", "--others", "--exclude-standard", "-z") or b""
    return tuple(path for path in _split_nul(listed.decode("utf-8", "replace")) if path not in _OWN_FILES)


def _split_nul(text: str) -> list[str]:
    return [one for one in text.split("\0") if one]


def _parse_count(text: str) -> int | None:
    return int(text) if text.isdecimal() else None


def _count_lines(data: bytes | None) -> int | None:
    if data is None or b"\0" in data:
        return None
    return data.count(b"\n") + (not data.endswith(b"\n") if data else 0)
