"""Read-only access that changes no byte and creates no file, whatever state the log is in."""

from __future__ import annotations

import os
import threading
from collections import Counter
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING
from weakref import WeakSet

import apsw

from aurora.memory.sqlite import file_state
from aurora.memory.sqlite.errors import ChangedDatabase
from aurora.memory.sqlite.file_state import FileHarm

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from aurora.memory.sqlite.file_state import DatabaseState

_ATTEMPTS = 5
"""Attempts to open a database whose files another process creates or removes at the same time."""
_LOG_HEADER_BYTES = 32
"""Bytes of a log without a frame (sqlite.org/fileformat2.html, 4.1)."""
_READ_URI = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
_NAME = "aurora-read-only"
_WRITE_FLAGS = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE | apsw.SQLITE_OPEN_DELETEONCLOSE
_open_counts: Counter[str] = Counter()
"""Connections of this process by path: they share one mapping of the log's index into memory."""
_lock = threading.Lock()
_siblings: dict[str, WeakSet[Sibling]] = {}
_written: set[str] = set()
"""Files that this process writes: its read-only connections may share the map of a writer."""


class Connection(apsw.Connection):
    """Connection to a database file that is counted while it is open."""

    def __init__(self, name: str, flags: int) -> None:
        super().__init__(name, flags)
        self._counted: str | None = name
        _open_counts[name] += 1

    def close(self, force: bool = False) -> None:  # noqa: FBT001, FBT002 - as the base class
        """Close the connection; a second call does nothing."""
        super().close(force)
        if self._counted is not None:
            _open_counts[self._counted] -= 1
            self._counted = None


def is_open(name: str) -> bool:
    """Return True if this process has a connection to the file of this name."""
    return _open_counts[name] > 0


class ReadOnlyConnection(Connection):
    """Connection that writes nothing, and the state of the files that it reads.

    Attributes:
        state: the files when it was opened.
        is_shared: SQLite reads the log that other processes may write; else what is read must not change.
    """

    state: DatabaseState
    is_shared: bool

    def is_current(self, path: Path) -> bool:
        """Return True while the connection reads what the files contain."""
        now = file_state.read_state(str(path))
        if self.is_shared:
            same = self.state.database is not None and self.state.database.is_same_file(now.database)
            return same and file_state.find_harm(self.state, now) in {None, FileHarm.SHRUNK}
        # Without locks, only files that nobody has touched are as they were when they were opened.
        return now.database == self.state.database and now.log == self.state.log


def open_read_only(path: Path, busy_timeout: float) -> ReadOnlyConnection:
    """Open a database without a change to its folder.

    - With a log and its index, SQLite reads both; the index is opened read-only (`readonly_shm`), and built in memory
      if the process that wrote it was killed. A process that writes the same file shares its own map of the index.
    - Without a log, or with an empty one, everything is in the database, which SQLite takes as `immutable`.
    - A log without a whole index was left by a killed process or a copy. SQLite would create the index, so it reads
      both files without locks, with an index of its own. So it does when it would have to repair the index, and when it
      would wait in vain: of a log that is not longer than its header, it builds with `readonly_shm` an index in memory
      that never matches that header, and begins again a hundred times, for 10 s.

    Args:
        path: an existing database.
        busy_timeout: the seconds to wait for a lock.

    Raises:
        apsw.Error, OSError: the caller translates them.
        Fault: CONFLICT when other processes open and close the database all the time.
    """
    failure: apsw.Error | None = None
    for _ in range(_ATTEMPTS):
        state = file_state.read_state(str(path))
        try:
            db = _open_state(path, state, busy_timeout)
        except apsw.ReadOnlyError:  # a killed process left the index torn, and another one has it open
            db = _open_state(path, state._replace(log_index=None), busy_timeout)
        except (apsw.CantOpenError, apsw.ProtocolError) as error:
            failure = error
            continue
        if db is not None:
            return db
    if failure is not None:
        raise failure
    raise ChangedDatabase(path)


def _open_state(path: Path, state: DatabaseState, busy_timeout: float) -> ReadOnlyConnection | None:
    """Open the files in this state; None if they changed meanwhile."""
    is_shared = _has_index(state)
    has_own_index = not is_shared and state.log is not None and state.log.size > 0
    if has_own_index:
        db = ReadOnlyConnection(build_unlocked_uri(path), _READ_URI)
    else:
        shared = "" if is_written_here(path) else "?readonly_shm=1"
        option = shared if is_shared else "?immutable=1"
        db = ReadOnlyConnection(f"{path.absolute().as_uri()}{option}", _READ_URI)
    try:
        db.state, db.is_shared = state, is_shared
        if has_own_index:
            keep_index_in_memory(db)
        db.set_busy_timeout(round(busy_timeout * 1000))
        db.pragma("user_version")  # fails now if the index cannot be read
    except BaseException:
        db.close()
        raise
    # The files may have changed between the look at them and the opening.
    if db.is_current(path):
        return db
    db.close()
    return None


def _has_index(state: DatabaseState) -> bool:
    """Return True if SQLite can read the log with its index."""
    if state.log is None or state.log_index is None or state.log_index.size < file_state.INDEX_BYTES:
        return False
    return state.log.size != _LOG_HEADER_BYTES


# SQLite reads a log through an index in shared memory, which it would create next to the database. With
# `locking_mode=exclusive` it keeps the index in its own memory, 6 bytes a frame, and reads the pages of both files as
# it needs them. That mode would lock the database, and remove the log at the end; these files do neither.
class _ReadOnlyFile(apsw.VFSFile):
    """File of the system's own VFS, opened read-only; its locks do nothing."""

    def __init__(self, name: str | apsw.URIFilename | None, flags: list[int]) -> None:
        # SQLite asks for the log with the flags of a writer, whatever those of the connection are.
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


# SQLite has one map of the log's index for all connections of a process. A connection that opens it read-only decides
# for those after it: none can write until it is closed. So a writer lets the idle read-only connections close, and
# those that are opened later share its map.
@dataclass(eq=False, slots=True, weakref_slot=True)
class Sibling:
    """Store of a file, as the others of this process see it; its store keeps it.

    Attributes:
        path: the file.
        is_reader: returns True when the store opens the index read-only.
        drop_connections: closes the idle connections, and those in use when they come back.
    """

    path: Path
    is_reader: Callable[[], bool]
    drop_connections: Callable[[], None]


def register_sibling(sibling: Sibling) -> None:
    """Add a store; it leaves when nothing refers to it."""
    with _lock:
        _siblings.setdefault(_get_key(sibling.path), WeakSet()).add(sibling)


def is_written_here(path: Path) -> bool:
    """Return whether a writer of this process has claimed the index of the file."""
    return _get_key(path) in _written


def claim_index(path: Path) -> bool:
    """Let all read-only stores of the file open it again; return whether there are any."""
    key = _get_key(path)
    with _lock:
        readers = [sibling for sibling in _siblings.get(key, ()) if sibling.is_reader()]
        if readers:
            _written.add(key)
    for sibling in readers:
        sibling.drop_connections()
    return bool(readers)


def _get_key(path: Path) -> str:
    return os.path.realpath(path)
