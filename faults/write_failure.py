"""Remedy for a failed write: free space on a full disk, move a file, or the caller's own."""

from __future__ import annotations

import errno

_DISK_FULL_ERRORS = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO})
"""Error numbers of a disk that cannot be written to any more."""


def is_disk_full(error: BaseException) -> bool:
    """Return whether a write failed because the disk takes no more."""
    return isinstance(error, OSError) and error.errno in _DISK_FULL_ERRORS


def choose_write_remedy(error: BaseException, otherwise: str, folder: str = "") -> str:
    """Return the remedy for a failed write.

    Args:
        error: the failure.
        otherwise: the remedy for another failure than a full disk, mostly a missing permission.
        folder: the name of the folder that was to be created, whose place a file may have.
    """
    if folder and isinstance(error, FileExistsError | NotADirectoryError):
        return f'Move the file "{folder}" away, so that the folder can take its place.'
    return "Free space on the disk." if is_disk_full(error) else otherwise
