"""Reader of the user's own files, which nobody else may have written."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


class PrivateFileError(Exception):
    """A file that anyone else could have written, or that is no file of a reasonable size.

    Attributes:
        what: the end of a sentence about the file.
        remedy: what to do; empty to delete the file.
    """

    def __init__(self, what: str, remedy: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.remedy = remedy


def read_private_file(path: Path, max_bytes: int) -> bytes:
    """Read a file that only this user or the system's administrator can have written.

    Args:
        path: the file; a link is followed.
        max_bytes: its size limit in bytes, in whole megabytes.

    Raises:
        OSError: it cannot be read.
        PrivateFileError: it is no private file of this user.
    """
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))  # a pipe must not block
    with os.fdopen(handle, "rb") as file:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode) or status.st_size > max_bytes:
            raise PrivateFileError(f"is not a file of at most {max_bytes // 1_000_000} MB")
        if os.name == "posix" and status.st_uid not in {0, os.geteuid()}:
            raise PrivateFileError("belongs to another user")
        if os.name == "posix" and status.st_mode & _OTHERS_WRITE:
            raise PrivateFileError("can be written by others", f'Check it, then run `chmod 600 "{path}"`.')
        return file.read(max_bytes + 1)
