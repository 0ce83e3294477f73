"""Names of temporary files, and the removal of those that killed processes left behind."""

from __future__ import annotations

import os
import re
import stat
import sys
import time
import zlib
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_MAX_OLD_SECONDS = 3600.0
"""Age from which an entry is a leftover where its process cannot be looked up; no write takes that long."""
_MAX_NAME_BYTES = 100
_PARTIAL = re.compile(
    r"\..+\.(?P<pid>\d{1,10})\.(?P<place>[0-9a-f]{8})\.[0-9a-f]{8}\.partial(-wal|-shm|-journal)?", re.DOTALL
)
_ENDINGS = (".partial", ".partial-wal", ".partial-shm", ".partial-journal")


def name_partial(name: str) -> str:
    """Return a new name for a file that is to replace `name`, in the same folder."""
    short = name.encode("utf-8", "surrogateescape")[:_MAX_NAME_BYTES].decode("utf-8", "ignore")
    return f".{short}.{os.getpid()}.{identify_place()}.{os.urandom(4).hex()}.partial"


def remove_old_partials(folder: Path | int) -> None:
    """Delete the partial files in a folder whose process has ended; ignore an unreadable folder.

    Args:
        folder: its path, which must not be a link, or its descriptor.
    """
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            found = _PARTIAL.fullmatch(entry.name) if entry.name.endswith(_ENDINGS) else None
            if found and is_abandoned(found, entry, stat.S_ISREG):
                with suppress(OSError):  # another process deleted it first
                    os.unlink(entry.path, dir_fd=folder if isinstance(folder, int) else None)


def is_abandoned(name: re.Match[str], entry: os.DirEntry[str], is_kind: Callable[[int], bool]) -> bool:
    """Return whether the process that made an entry has ended; on another machine, whether it is old.

    Args:
        name: the match of the entry's name, with the groups `pid` and `place`.
        entry: the entry; one of another user is never abandoned.
        is_kind: the test of its mode, as `stat.S_ISREG`.
    """
    try:
        status = entry.stat(follow_symlinks=False)
    except OSError:
        return False
    if not is_kind(status.st_mode):
        return False
    if sys.platform != "win32":
        if status.st_uid != os.getuid():
            return False
        if name["place"] == identify_place():
            return not is_process_running(int(name["pid"]))
    return time.time() - status.st_mtime > _MAX_OLD_SECONDS


def is_process_running(pid: int) -> bool:
    """Return True when a process of this machine, or container, has this id."""
    if sys.platform == "win32":  # a signal would end it
        return True
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):  # the system has no such large number
        return False
    except OSError:
        return True
    return True


def identify_place() -> str:
    """Return a word for the machine and its container, since each has its own process ids."""
    try:
        space = os.stat("/proc/self/ns/pid").st_ino  # noqa: PTH116 - `pathlib` adds nothing here
    except OSError:
        space = 0
    node = os.uname().nodename if sys.platform != "win32" else ""
    return f"{zlib.crc32(f'{node} {space}'.encode()):08x}"
