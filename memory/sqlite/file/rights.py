"""Access rights: what the memory contains is for its owner only."""

from __future__ import annotations

import contextlib
import glob
import os
import stat
from typing import TYPE_CHECKING

import apsw

from aurora.memory.files import DATA_FOLDER

from .header import MAGIC, read_header

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PRIVATE = 0o600
"""Mode of each file of the memory: its owner reads and writes it."""
_OTHERS = 0o077
_DATE = "[0-9]" * 8
_OWN_NAMES = ("-wal", "-shm", "-journal", ".damaged-*")
_BACKUP_NAMES = f"backups/{_DATE}-*.db"
_FOLDER_NAMES = ("logs/*", "*.jsonl")
"""Names in `.aurora`, in which all files are Aurora's; a database in another folder has strangers next to it."""


def create_private(path: Path) -> None:
    """Create an empty file for its owner only; SQLite gives its log and index the rights of the database.

    Raises:
        OSError: the file cannot be created.
    """
    with contextlib.suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, PRIVATE))


def restrict_access(database: Path) -> None:
    """Remove the rights of others on the files of a memory that an older version created.

    The database comes last: as long as it is open to others, the next call begins again. Files of another owner stay as
    they are.
    """
    if not _is_open_memory(database):
        return
    for path in (*_list_files(database), database):
        with contextlib.suppress(FileNotFoundError, PermissionError):
            mode = path.lstat().st_mode
            if mode & _OTHERS and not path.is_symlink():
                path.chmod(mode & 0o700)


def _is_open_memory(database: Path) -> bool:
    """Return whether a database is open to others; AURORA_DB may name any file, and a device."""
    with contextlib.suppress(OSError, apsw.Error):
        status = database.stat()
        if stat.S_ISREG(status.st_mode) and status.st_mode & _OTHERS:
            return not status.st_size or read_header(database).startswith(MAGIC)
    return False


def _list_files(database: Path) -> Iterator[Path]:
    """Yield the other files of the memory: logs, backups, databases that were set aside, exports."""
    folder = database.parent
    patterns = [*(f"{glob.escape(database.name)}{ending}" for ending in _OWN_NAMES), _BACKUP_NAMES]
    for pattern in (*patterns, *(_FOLDER_NAMES if folder.name == DATA_FOLDER else ())):
        yield from folder.glob(pattern)
