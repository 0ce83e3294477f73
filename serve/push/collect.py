"""Collection of the files to push: those that indexing takes, without their secrets."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from aurora.faults import Code, Fault
from aurora.faults.git import find_repository, open_session, read_branch, read_commit
from aurora.faults.secrets import has_secret, mask_text
from aurora.memory.files import SourceFile, SourceText, discover_files, read_source
from aurora.memory.model import SkippedFile

from .manifest import MAX_FILES, MAX_FOLDERS, MAX_TOTAL_BYTES, Manifest, PushedFile, normalize_branch
from .names import count_folders, describe_bad_path, find_collisions

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

_STATUS = ("status", "--porcelain", "-z", "--untracked-files=all", "--ignore-submodules=all", "--", ".")
_NOT_OURS = ":(exclude).aurora"


@dataclass(frozen=True)
class CollectedTree:
    """Tree to push.

    Attributes:
        manifest: its files.
        sources: a file with each content, by hash.
        left_out: the files that are not pushed, and why.
        masked_lines: lines with a mask in place of a secret.
    """

    manifest: Manifest
    sources: Mapping[str, SourceFile]
    left_out: Sequence[SkippedFile]
    masked_lines: int


def collect_tree(root: Path, report: Callable[[int], None]) -> CollectedTree:
    """Read the files of a project, and hash them without their secrets.

    Args:
        root: the project's folder, resolved.
        report: receives the number of files read so far.

    Raises:
        Fault: INVALID_INPUT for more files, bytes or folders than a push may have; the faults of reading the folder,
            and of git.
    """
    is_clean, commit = _is_clean(root), read_commit(root)
    files: dict[str, PushedFile] = {}
    sources: dict[str, SourceFile] = {}
    left_out: list[SkippedFile] = []
    masked = 0
    for found in discover_files(root):
        read = found if isinstance(found, SkippedFile) else _read_file(found, root)
        if isinstance(read, SkippedFile) or isinstance(found, SkippedFile):
            left_out += [read] if isinstance(read, SkippedFile) else []
            continue
        data = read.text.encode()
        sha256 = hashlib.sha256(data).hexdigest()
        files[read.path] = PushedFile(sha256, len(data))
        sources.setdefault(sha256, found)
        masked += len(read.left_out)
        report(len(files))
    for path, why in list(find_collisions(files)):
        del files[path]
        left_out.append(SkippedFile(path, "name", why))
    manifest = Manifest(files, commit, normalize_branch(read_branch(root)), is_clean)
    _check_size(manifest)
    return CollectedTree(manifest, sources, left_out, masked)


def read_content(file: SourceFile, root: Path, sha256: str) -> bytes:
    """Read a content again, just before it is sent.

    Raises:
        Fault: CONFLICT when the file has changed since it was hashed.
    """
    read = _read_file(file, root)
    data = b"" if isinstance(read, SkippedFile) else read.text.encode()
    if isinstance(read, SkippedFile) or hashlib.sha256(data).hexdigest() != sha256:
        raise Fault(Code.CONFLICT, f'the file "{file.path}" changed during the push', help="Push again.")
    return data


def _read_file(file: SourceFile, root: Path) -> SourceText | SkippedFile:
    """Read a file; mask its secrets, also those that `.auroraignore` allows here."""
    if why := describe_bad_path(file.path):
        return SkippedFile(file.path, "secret" if "secret" in why else "name", why)
    read = read_source(file, root)
    if isinstance(read, SkippedFile):
        return read
    text, left_out = mask_text(read.text)
    if has_secret(text):
        return SkippedFile(file.path, "secret", "a password, key or token in it cannot be masked")
    facts = (read.sha256, read.size, read.mtime_ns)
    return SourceText(read.path, read.language, text, *facts, {**read.left_out, **left_out}, read.encoding)


def _is_clean(root: Path) -> bool:
    """Return True when the tree is that of its commit, or there is no git.

    Raises:
        Fault: UPSTREAM_ERROR when git cannot compare them.
    """
    repository = find_repository(root)
    if repository is None:
        return True
    with open_session(repository, compares=True) as git:
        changed = git.run(*_STATUS, _NOT_OURS)
    if changed is None:
        message = "git cannot compare the files with the commit that is checked out"
        raise Fault(Code.UPSTREAM_ERROR, message, help="Run `git status` in the project; it says why.")
    return not changed


def _check_size(manifest: Manifest) -> None:
    folders = count_folders(manifest.files)
    if len(manifest.files) > MAX_FILES or manifest.total_bytes > MAX_TOTAL_BYTES or folders > MAX_FOLDERS:
        raise Fault(
            Code.INVALID_INPUT,
            f"the project has {len(manifest.files):,} files of {manifest.total_bytes:,} bytes in {folders:,} folders; "
            f"a push has at most {MAX_FILES:,} files of {MAX_TOTAL_BYTES:,} bytes in {MAX_FOLDERS:,} folders",
            help="Leave folders out with .auroraignore.",
        )
