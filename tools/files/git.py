"""Git reader: the changes of a project.

It is read-only, limited in time and size, and does not run the project's programs.
"""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import tarfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Timer
from typing import Literal

from aurora.faults import Code, Fault

GIT_TIMEOUT = 20.0
"""Timeout of one git command in seconds."""
MAX_OUTPUT_BYTES = 16_000_000
"""Size limit of git's output in bytes; a larger change cannot be reviewed."""
MAX_FILE_BYTES = 1_000_000
"""Bytes of a new file in which lines are counted."""

_SAFE_OPTIONS = ("-c", "core.fsmonitor=false", "-c", "core.quotePath=false", "--no-optional-locks")
"""Options against programs in the repository's configuration, and against writing the index."""
_DIFF_OPTIONS = ("--no-color", "--no-ext-diff", "--no-textconv", "--no-renames", "--ignore-submodules", "--relative")
_OWN_FILES = frozenset({".aurora/.gitignore"})
"""Files that Aurora writes itself."""
_GIT_VARIABLES = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_EXTERNAL_DIFF", "GIT_PREFIX")
"""Variables of a git hook, which would select another repository."""

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
        index: git's index file, which a comparison would rewrite.
    """

    root: Path
    head: str
    index: Path

    def resolve_base(self, named: str) -> str:
        """Return the merge base of `named` and the head; without a name, the head.

        Raises:
            Fault: NOT_FOUND for an unknown revision.
        """
        if not named:
            return self.head
        for kind in ("commit", "tree"):
            found = (
                None if named.startswith("-") else self._read_line("rev-parse", "--verify", "-q", f"{named}^{{{kind}}}")
            )
            if found:
                return (self._read_line("merge-base", found, self.head) if kind == "commit" else "") or found
        raise Fault(
            Code.NOT_FOUND,
            f'git has no revision "{named[:80]}" here',
            help="Give a branch, a tag or a commit, or omit `base` to compare with the last commit.",
            details={"base": named[:80]},
        )

    def list_changes(self, base: str) -> tuple[FileChange, ...]:
        """List the files that differ from the base by path, new files included, ignored files not.

        Args:
            base: a commit from `resolve_base`.
        """
        counts: dict[str, tuple[int | None, int | None]] = {}
        for entry in _split_nul(self._run_diff("--numstat", "-z", base)):
            added, removed, path = entry.split("\t", 2)
            counts[path] = _parse_count(added), _parse_count(removed)
        words = _split_nul(self._run_diff("--name-status", "-z", base))
        known = zip(words[1::2], words[::2], strict=False)
        tracked = [
            FileChange(path, _STATUSES.get(mark[:1], "changed"), *counts.get(path, (None, None)))
            for path, mark in known
        ]
        new = [FileChange(path, "added", _count_lines(self.root / path), 0) for path in self.list_untracked()]
        return tuple(sorted((one for one in (*tracked, *new) if one.path not in _OWN_FILES), key=lambda one: one.path))

    def list_untracked(self) -> tuple[str, ...]:
        """List the files that are neither tracked nor ignored."""
        found = _split_nul(_decode_output(_run_git(self.root, "ls-files", "--others", "--exclude-standard", "-z")))
        return tuple(path for path in found if path not in _OWN_FILES)

    def is_tracked(self, path: str) -> bool:
        """Return whether git tracks the file, which may not be in a commit yet."""
        return _run_git(self.root, "ls-files", "--error-unmatch", "-z", "--", f":(literal){path}") is not None

    def diff_lines(self, base: str) -> str:
        """Return the changed lines as `git diff -U0`, without untracked files."""
        return self._run_diff("-U0", base)

    def resolve_commit(self, named: str) -> str:
        """Return the commit of a revision.

        Raises:
            Fault: NOT_FOUND for an unknown revision.
        """
        found = None if named.startswith("-") else self._read_line("rev-parse", "--verify", "-q", f"{named}^{{commit}}")
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
        packed = _run_git(self.root, "archive", "--format=tar", commit, "--", folder, index=self.index)
        if packed:
            with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
                for member in archive:
                    file = archive.extractfile(member) if member.isfile() else None  # no links, no devices
                    target = (into / member.name).resolve()
                    if file is not None and target.is_relative_to(into.resolve()):
                        target.parent.mkdir(parents=True, exist_ok=True)
                        target.write_bytes(file.read())

    def _run_diff(self, *words: str) -> str:
        """Run `git diff` with a copy of the index, because it would refresh the real one."""
        with TemporaryDirectory() as folder:
            copy = Path(folder) / "index"
            with suppress(FileNotFoundError):  # before the first `git add`
                shutil.copyfile(self.index, copy)
            return _decode_output(_run_git(self.root, "diff", *_DIFF_OPTIONS, *words, "--", ".", index=copy))

    def _read_line(self, *words: str) -> str:
        return _decode_output(_run_git(self.root, *words)).strip()


def open_worktree(root: Path) -> Worktree | None:
    """Return the project's worktree, or None without git or a repository."""
    inside = _run_git(root, "rev-parse", "--is-inside-work-tree")
    if inside is None or inside.strip() != b"true":
        return None
    head = _run_git(root, "rev-parse", "--verify", "-q", "HEAD^{commit}") or _run_git(
        root, "hash-object", "-t", "tree", "--stdin"
    )
    index = _decode_output(_run_git(root, "rev-parse", "--git-path", "index")).strip()
    return Worktree(root, head.decode().strip(), root / index) if head and index else None


def _decode_output(data: bytes | None) -> str:
    return (data or b"").decode("utf-8", "replace")


def _split_nul(text: str) -> list[str]:
    return [one for one in text.split("\0") if one]


def _parse_count(text: str) -> int | None:
    return int(text) if text.isdecimal() else None


def _count_lines(path: Path) -> int | None:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_FILE_BYTES)
    except OSError:
        return None
    return None if b"\0" in data else data.count(b"\n") + (not data.endswith(b"\n") if data else 0)


def _run_git(root: Path, *words: str, index: Path | None = None) -> bytes | None:
    """Return at most `MAX_OUTPUT_BYTES` of git's output; None if it fails, times out, or is not installed."""
    program = shutil.which("git")
    if program is None:
        return None
    environment = {name: value for name, value in os.environ.items() if name not in _GIT_VARIABLES}
    environment |= {"GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
    if index is not None:
        environment["GIT_INDEX_FILE"] = str(index)
    process = subprocess.Popen(  # noqa: S603 - git with fixed options; a caller's argument never begins with a dash
        [program, *_SAFE_OPTIONS, *words],
        cwd=root,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    with process:
        timer = Timer(GIT_TIMEOUT, process.kill)
        timer.start()
        try:
            data = process.stdout.read(MAX_OUTPUT_BYTES + 1) if process.stdout else b""
            cut = len(data) > MAX_OUTPUT_BYTES
            if cut:
                process.kill()
            process.wait()
        finally:
            timer.cancel()
    return data[:MAX_OUTPUT_BYTES] if cut or process.returncode == 0 else None
