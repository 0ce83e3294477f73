"""Files that SQLite reads without a lock, a change or a new file, a killed process's log included.

SQLite reads a log through an index in shared memory, which it would create next to the database. With
`locking_mode=exclusive` it keeps the index in its own memory, 6 bytes a frame, and reads the pages of both files as it
needs them. That mode would lock the database, and remove the log at the end; these files do neither.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import apsw

if TYPE_CHECKING:
    from pathlib import Path

_NAME = "aurora-read-only"
_WRITE_FLAGS = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE | apsw.SQLITE_OPEN_DELETEONCLOSE


class _ReadOnlyFile(apsw.VFSFile):
    """File of the system's own VFS, opened read-only; its locks do nothing."""

    def __init__(self, name: str | apsw.URIFilename | None, flags: list[int]) -> None:
        flags[0] = (flags[0] & ~_WRITE_FLAGS) | apsw.SQLITE_OPEN_READONLY
        super().__init__("", name, flags)

    def xLock(self, level: int) -> None:  # noqa: N802 - SQLite's name
        """Take no lock."""

    def xUnlock(self, level: int) -> None:  # noqa: N802 - SQLite's name
        """Release no lock."""

    def xCheckReservedLock(self) -> bool:  # noqa: N802 - SQLite's name
        """Return False: no other process counts."""
        return False


class _ReadOnlyFiles(apsw.VFS):
    """VFS that opens files read-only, and deletes none."""

    def __init__(self) -> None:
        super().__init__(_NAME, "")

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:  # noqa: N802 - SQLite's name
        """Open an existing file read-only.

        Raises:
            apsw.CantOpenError: it does not exist, or SQLite wants a temporary file, which `temp_store` avoids.
        """
        if name is None:
            raise apsw.CantOpenError("no temporary file")
        return _ReadOnlyFile(name, flags)

    def xAccess(self, pathname: str, flags: int) -> bool:  # noqa: N802 - SQLite's name
        """Check access to a file; a rollback journal, which only a writer could apply, counts as absent."""
        return not pathname.endswith("-journal") and super().xAccess(pathname, flags)

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: FBT001, N802 - SQLite's name
        """Refuse to delete a file.

        Raises:
            apsw.ReadOnlyError: always.
        """
        del syncdir
        raise apsw.ReadOnlyError(filename)


@cache
def _register_files() -> _ReadOnlyFiles:
    """Register the VFS once per process; it lives as long."""
    return _ReadOnlyFiles()


def build_unlocked_uri(path: Path) -> str:
    """Build the URI with which SQLite opens a database and its log read-only and without locks."""
    _register_files()
    return f"{path.absolute().as_uri()}?vfs={_NAME}"


def keep_index_in_memory(db: apsw.Connection) -> None:
    """Let SQLite keep the index of the log in its own memory; the first statement of a connection."""
    db.pragma("locking_mode", "exclusive")
    db.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
