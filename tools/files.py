"""Files of the project: its folder, lines, new files, and the changes that git knows."""

from __future__ import annotations

import os
import shlex
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from aurora.errors import Code, Fault, quote_names
from aurora.interpreter.problems import UnreadableFileError, read_file
from aurora.memory import SkippedFile
from aurora.memory.files import (
    DATA_FOLDER,
    DATABASE_NAME,
    SourceFile,
    SourceText,
    find_left_out,
    find_project,
    is_home_or_root,
    is_view,
    read_source,
)
from aurora.system.files import choose_write_remedy
from aurora.system.git.export import export_files
from aurora.system.git.repository import find_repository
from aurora.system.git.session import open_session
from aurora.system.paths.read import read_plain
from aurora.system.paths.resolve import path_exists, resolve_inside
from aurora.system.paths.write import write_inside
from aurora.system.secrets.masks import leave_out_lines

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from aurora.system.git.repository import Repository
    from aurora.system.git.session import GitSession
    from aurora.tools.core import Context


def require_project(root: Path) -> None:
    """Check that a folder is a project; a home folder is one only if it is a git repository.

    Raises:
        Fault: INVALID_INPUT for the home folder or the root of the file system without a repository.
    """
    if is_home_or_root(root) and not (root / ".git").exists():
        raise Fault(
            Code.INVALID_INPUT,
            f'"{root}" is not a project: it contains all your files',
            help="Run the command in the project's folder, or pass --project FOLDER.",
            details={"path": str(root)},
        )


def resolve_part(path: str, context: Context) -> Path:
    """Return a file or folder of the project; a person reads how to name the project of another one.

    Raises:
        Fault: as `resolve_inside`.
    """
    try:
        return resolve_inside(context.root, path)
    except Fault as fault:
        plain = Path(os.path.normpath(context.root / path))
        is_elsewhere = not plain.is_relative_to(context.root) and path_exists(plain)
        if context.surface != "cli" or fault.code is not Code.FORBIDDEN or not is_elsewhere:
            raise
        other = shlex.quote(str(find_project(plain)))
        raise Fault(
            fault.code,
            f'{fault.message} "{context.root}"',
            help=f"Run it there, or pass --project {other}.",
            details=fault.details,
        ) from None


_REASONS = {
    "secret": "is a file of secrets",
    "binary": "is not text",
    "huge": "is too large",
    "generated": "is generated",
    "special": "is not a regular file",
    "outside": "is outside the project",
    "unreadable": "cannot be read",
    "worktree": "is no part of the project",
    "clone": "is no part of the project",
    "assistant": "is no part of the project",
    "lfs": "is not here",
}


@dataclass(frozen=True, slots=True)
class FileLines:
    """Range of lines.

    Attributes:
        start, end: first and last line, counted from 1.
        total: the number of lines of the file.
        left_out_lines: the number of lines of the range that are left out for a secret.
        encoding: the guess that it was decoded with; empty for UTF-8.
    """

    path: str
    language: str
    start: int
    end: int
    total: int
    text: str
    left_out_lines: int = 0
    encoding: str = ""


@dataclass(frozen=True, slots=True)
class FileText:
    """Lines of a file as they are now, without those that have a secret.

    Attributes:
        encoding: the guess that it was decoded with; empty for UTF-8.
        left_out: the numbers of the lines that are left out for a secret.
    """

    path: str
    language: str
    lines: Sequence[str]
    encoding: str
    left_out: Collection[int]

    def select(self, lines: str | None, around: int = 0) -> FileLines:
        """Select a range of lines, and so many more before and after it.

        Args:
            lines: `"10-40"`, `"10"`, `"10-"`, or None for all; counted from 1. A range past the end is truncated.
            around: number of lines to add on both sides.

        Raises:
            Fault: INVALID_INPUT for a range that starts past the end.
        """
        total = len(self.lines)
        start, end = _parse_range(lines, total)
        start, end = max(1, start - around), min(total, end + around)
        left_out = sum(start <= line <= end for line in self.left_out)
        text = "\n".join(self.lines[start - 1 : end])
        return FileLines(self.path, self.language, start, end, total, text, left_out, self.encoding)


def read_text(root: Path, path: str) -> FileText:
    """Read a file that is part of the project, or that only an ignore file excludes.

    Args:
        root: the project's folder, resolved.
        path: relative to it, or absolute.

    Raises:
        Fault: FORBIDDEN for a file outside the project, with the name of a secret file or without text;
            NOT_FOUND for an unknown file; INVALID_INPUT for a folder.
    """
    real = resolve_inside(root, path)
    if real.is_dir():
        raise Fault(
            Code.INVALID_INPUT,
            f'"{path}" is a folder',
            help="Give the path of a file; a search limited to the folder finds its files.",
            details={"faults": [{"path": "$.path", "expected": "a file"}]},
        )
    if (real.parent.name == DATA_FOLDER and real.name.startswith(DATABASE_NAME)) or is_view(real):
        # To close such a file would drop the locks that this process has on it (sqlite.org/howtocorrupt.html, 2.2).
        raise _make_refused_fault(path, SkippedFile(path, "binary", "a database"))
    status = real.stat()
    shown = real.relative_to(root).as_posix()
    if (skipped := find_left_out(root, shown)) is not None:
        raise _make_refused_fault(shown, skipped)
    source = read_source(SourceFile(shown, real, status.st_size, status.st_mtime_ns), root)
    if not isinstance(source, SourceText):
        raise _make_refused_fault(shown, source)
    every = source.text.replace("\r\n", "\n").split("\n")
    if every[-1] == "" and len(every) > 1:
        every.pop()
    kept = leave_out_lines(every, 1, source.left_out)
    return FileText(shown, source.language, kept, source.encoding, frozenset(source.left_out))


def _parse_range(lines: str | None, total: int) -> tuple[int, int]:
    if lines is None:
        return 1, total
    first, dash, last = lines.partition("-")
    start = int(first)
    end = min(int(last), total) if last else (total if dash else start)
    if not 1 <= start <= total or end < start:
        raise Fault(
            Code.INVALID_INPUT,
            f'there are no lines "{lines}": the file has {total}',
            help=f"Give a range within 1-{total}, the smaller number first.",
            details={"faults": [{"path": "$.lines", "expected": f"within 1-{total}"}], "total_lines": total},
        )
    return start, end


def _make_refused_fault(path: str, skipped: SkippedFile) -> Fault:
    why = _REASONS.get(skipped.reason, f"is left out ({skipped.reason})")
    detail = f" ({skipped.detail})" if skipped.detail else ""
    gone = skipped.reason == "vanished"
    return Fault(
        Code.NOT_FOUND if gone else Code.FORBIDDEN,
        f'"{path}" {why}{detail}',
        help="Open it outside Aurora; Aurora neither stores nor shows such files.",
        details={"path": path, "reason": skipped.reason},
    )


def select_missing(folder: Path, files: Mapping[str, str]) -> dict[str, str]:
    """Return the files that do not exist yet with this text."""
    return {name: text for name, text in files.items() if _read_existing(folder / name) != text.encode("utf-8")}


def refuse_existing(folder: Path, names: Iterable[str]) -> None:
    """Check that none of these files exists.

    Raises:
        Fault: CONFLICT, with the existing files.
    """
    existing = [name for name in names if os.path.lexists(folder / name)]
    if existing:
        raise Fault(
            Code.CONFLICT,
            f"{quote_names(existing)} {'exists' if len(existing) == 1 else 'exist'} already, and nothing was written",
            help="Choose another name, move the files, or overwrite them with --force.",
            details={"files": sorted(existing)},
        )


def write_all(folder: Path, files: Mapping[str, str]) -> None:
    """Write the files in this order, so that a file which refers to others is written last.

    Args:
        folder: the existing target folder.
        files: path under the folder -> text.

    Raises:
        Fault: FORBIDDEN if one cannot be written, or is a link, or outside the folder; earlier files remain.
    """
    for name, text in files.items():
        try:
            write_inside(folder.resolve(), name, text.encode("utf-8"))
        except OSError as error:
            raise Fault(
                Code.FORBIDDEN,
                f'"{name}" cannot be written: {error.strerror or error}',
                help=choose_write_remedy(error, f'Allow writing in "{folder}".'),
            ) from None


def _read_existing(path: Path) -> bytes | None:
    try:
        return read_file(path)
    except UnreadableFileError:
        return None


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

    def diff_lines(self, base: str, context: int = 0, paths: Sequence[str] = ()) -> str:
        """Return the changed lines as `git diff`, without untracked files.

        Args:
            base: a commit from `resolve_base`.
            context: the number of unchanged lines around a change.
            paths: only these files; by default all.
        """
        with self._open() as git:
            return _run_diff(git, f"-U{context}", base, paths=[f":(literal){path}" for path in paths])

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


def _run_diff(git: GitSession, *words: str, paths: Sequence[str] = ()) -> str:
    return (git.run("diff", *_DIFF_OPTIONS, *words, "--", *(paths or ["."])) or b"").decode("utf-8", "replace")


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
