"""Identity of a folder and its repository, which a folder moved to the same path does not have."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import NamedTuple

from .birth_time import read_birth_time


class FileStamp(NamedTuple):
    """Stamp of a file or folder that no later one has.

    Attributes:
        inode: its inode number, which the file system may give to another file once it is deleted.
        birth: its creation time in nanoseconds since 1970; 0 when unknown.
    """

    inode: int
    birth: int

    def is_same(self, other: FileStamp) -> bool:
        """Compare two stamps; an unknown creation time fits any."""
        return self.inode == other.inode and (self.birth == other.birth or not self.is_exact(other))

    def is_exact(self, other: FileStamp) -> bool:
        """Return whether both creation times are known."""
        return bool(self.birth and other.birth)


class MarkStamp(NamedTuple):
    """Stamp of a file that git writes once, at the clone.

    Attributes:
        inode: its inode number.
        changed: its time of modification in nanoseconds since 1970.
    """

    inode: int
    changed: int


@dataclass(frozen=True, slots=True)
class FolderIdentity:
    """Identity of a project's folder.

    Attributes:
        device: the device of the folder; it changes at each start on some systems, and counts only without any time.
        folder: the folder itself.
        git: the repository's folder, or the file `.git` that names it; None without git.
        mark: `description` in the repository, or the file `.git`; None where there is none.
    """

    device: int
    folder: FileStamp
    git: FileStamp | None
    mark: MarkStamp | None

    def is_same_repository(self, other: FolderIdentity) -> bool:
        """Compare the repositories of the recorded identity and of the `other`, later one."""
        if self.git is None or other.git is None or not self.git.is_same(other.git):
            return False
        if self.mark is not None:
            return self.mark == other.mark
        return self.git.is_exact(other.git) or self.device == other.device

    def is_same_folder(self, other: FolderIdentity) -> bool:
        """Compare the folders of the recorded identity and of the `other`, later one."""
        if not self.folder.is_same(other.folder):
            return False
        if self.git is not None:
            return self.is_same_repository(other)
        # a folder without git may become a repository, but is told from a clone in its place by its creation time only
        return self.folder.is_exact(other.folder) or (other.git is None and self.device == other.device)


def read_identity(folder: str, git: str | None, mark: str | None) -> FolderIdentity:
    """Read the identity of a folder.

    Args:
        folder: the project's folder, resolved.
        git: the repository's folder, or the file `.git`.
        mark: the file that git writes once; it may be missing.

    Raises:
        OSError: the folder or its repository is missing.
    """
    status = os.lstat(folder)
    return FolderIdentity(
        device=status.st_dev,
        folder=FileStamp(status.st_ino, read_birth_time(folder, status)),
        git=None if git is None else read_stamp(git),
        mark=None if mark is None else _read_mark(mark),
    )


def read_stamp(path: str) -> FileStamp:
    """Read the stamp of a file or folder; a link is not followed.

    Raises:
        OSError: there is none.
    """
    status = os.lstat(path)
    return FileStamp(status.st_ino, read_birth_time(path, status))


def _read_mark(path: str) -> MarkStamp | None:
    try:
        status = os.lstat(path)
    except OSError:  # the templates of git may lack the file
        return None
    return MarkStamp(status.st_ino, status.st_mtime_ns)
