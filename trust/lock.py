"""Lock between processes that change the list of trusted folders."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PRIVATE_FILE = 0o600


@contextmanager
def lock_exclusively(path: Path, *, waits: bool = True) -> Iterator[int]:
    """Lock an empty file, which stays; wait while another process has it, for milliseconds.

    Args:
        path: the file, which is created where it is missing.
        waits: False to raise at once where another process has the lock.

    Yields:
        The handle of the locked file, which may have been deleted meanwhile.

    Raises:
        OSError: the file cannot be created or locked; BlockingIOError (on Windows PermissionError) while another
            process has the lock.
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), PRIVATE_FILE)
    try:
        _acquire_lock(handle, waits=waits)
        yield handle
    finally:
        os.close(handle)  # releases the lock, as the end of the process does


def _acquire_lock(handle: int, *, waits: bool) -> None:
    if sys.platform == "win32":
        import msvcrt  # noqa: PLC0415 - only Windows has it

        msvcrt.locking(handle, msvcrt.LK_LOCK if waits else msvcrt.LK_NBLCK, 1)
    else:
        import fcntl  # noqa: PLC0415 - Windows lacks it

        fcntl.flock(handle, fcntl.LOCK_EX if waits else fcntl.LOCK_EX | fcntl.LOCK_NB)
