"""Identity of a folder and its repository, which a folder moved to the same path does not have."""

from __future__ import annotations

import os
import struct
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable


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


_AT_FDCWD, _AT_SYMLINK_NOFOLLOW, _STATX_BTIME = -100, 0x100, 0x800
"""Constants of Linux's `statx(2)`."""

_BUFFER_BYTES, _MASK_OFFSET, _BIRTH_OFFSET = 256, 0, 80
"""Size of `struct statx`, and the offsets of `stx_mask` and `stx_btime` in it; the same on every architecture."""


def read_birth_time(path: str, status: os.stat_result) -> int:
    """Return the creation time in nanoseconds since 1970; 0 where the system does not know it.

    Args:
        path: a file or folder; a link is not followed.
        status: what `os.lstat` returned for it.
    """
    exact = getattr(status, "st_birthtime_ns", None)  # Windows, from Python 3.12
    if exact is not None:
        return int(exact)
    seconds = getattr(status, "st_birthtime", None)  # macOS
    if seconds is not None:
        return int(seconds * 1_000_000_000)
    return status.st_ctime_ns if os.name == "nt" else _read_linux_time(path)


def _read_linux_time(path: str) -> int:
    """Call `statx`, which Python does not offer before 3.15."""
    call = _find_statx()
    if call is None:
        return 0
    buffer = bytearray(_BUFFER_BYTES)
    if call(os.fsencode(path), buffer) != 0:
        return 0
    (mask,) = struct.unpack_from("=I", buffer, _MASK_OFFSET)
    seconds, nanoseconds = struct.unpack_from("=qI", buffer, _BIRTH_OFFSET)
    return int(seconds) * 1_000_000_000 + int(nanoseconds) if mask & _STATX_BTIME else 0


@cache
def _find_statx() -> Callable[[bytes, bytearray], int] | None:
    """Return a function that fills a buffer; None where the C library has no `statx`."""
    try:
        import ctypes  # noqa: PLC0415 - only a folder with an entry in the list needs it

        function: Any = ctypes.CDLL(None).statx
    except (ImportError, AttributeError, OSError, TypeError):
        return None
    function.argtypes = (ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_uint, ctypes.c_void_p)
    array_type = ctypes.c_char * _BUFFER_BYTES

    def fill_buffer(path: bytes, buffer: bytearray) -> int:
        return int(function(_AT_FDCWD, path, _AT_SYMLINK_NOFOLLOW, _STATX_BTIME, array_type.from_buffer(buffer)))

    return fill_buffer
