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
def lock_exclusively(path: Path) -> Iterator[None]:
    """Lock an empty file, which stays; wait while another process has it, for milliseconds.

    Raises:
        OSError: the file cannot be created or locked.
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), PRIVATE_FILE)
    try:
        _acquire_lock(handle)
        yield
    finally:
        os.close(handle)  # releases the lock, as the end of the process does


def _acquire_lock(handle: int) -> None:
    if sys.platform == "win32":
        import msvcrt  # noqa: PLC0415 - only Windows has it

        msvcrt.locking(handle, msvcrt.LK_LOCK, 1)
    else:
        import fcntl  # noqa: PLC0415 - Windows lacks it

        fcntl.flock(handle, fcntl.LOCK_EX)
