"""Identity of an open folder, to notice that it was moved, removed or replaced."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from aurora.faults import Code, Fault

if TYPE_CHECKING:
    from pathlib import Path

_HELP = "restart Aurora in the folder where the project is now; nothing was written to the old place"
_OPEN_FLAGS = getattr(os, "O_PATH", os.O_RDONLY) | getattr(os, "O_DIRECTORY", 0)
"""Flags that need no permission to read the folder, on systems that have `O_PATH`."""


class FolderIdentity:
    """Identity of a folder at the time of its creation; the folder's name may belong to another one later.

    The folder stays open, so that the system cannot give its inode number to a new folder.

    Args:
        folder: an existing folder.

    Raises:
        OSError: the folder does not exist.
    """

    def __init__(self, folder: Path) -> None:
        self._descriptor = -1
        self._path = str(folder)
        self._numbers = _read_numbers(self._path)
        self._descriptor = _open_folder(self._path)

    def require_same(self) -> None:
        """Raise a fault unless the folder of that name is the same as before.

        Raises:
            Fault: NOT_FOUND when it was moved or removed, CONFLICT when another folder has its name.
        """
        try:
            is_same = _read_numbers(self._path) == self._numbers
        except OSError:
            raise Fault(
                Code.NOT_FOUND,
                f'the project "{self._path}" was moved or removed while it was open',
                help=_HELP,
                details={"path": self._path},
            ) from None
        if not is_same:
            raise Fault(
                Code.CONFLICT,
                f'the project "{self._path}" was replaced by another folder while it was open',
                help=_HELP,
                details={"path": self._path},
            )

    def is_same(self) -> bool:
        """Return True while the folder of that name is the same as before."""
        try:
            return _read_numbers(self._path) == self._numbers
        except OSError:
            return False

    def close(self) -> None:
        """Close the folder; a second call does nothing."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)

    def __del__(self) -> None:
        """Close the folder of an owner that forgot it."""
        self.close()


def _read_numbers(path: str) -> tuple[int, int]:
    status = os.stat(path)  # noqa: PTH116 - runs at every transaction, and `Path.stat` takes three times as long
    return status.st_dev, status.st_ino


def _open_folder(path: str) -> int:
    """Open a folder; return -1 on a system that opens no folders."""
    try:
        return os.open(path, _OPEN_FLAGS)
    except OSError:
        return -1
