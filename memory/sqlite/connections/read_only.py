"""Read-only access that changes no byte and creates no file, whatever state the log is in."""

from __future__ import annotations

from typing import TYPE_CHECKING

import apsw

from aurora.memory.sqlite import file
from aurora.memory.sqlite.errors import ChangedDatabase
from aurora.memory.sqlite.file import FileHarm

from . import siblings
from .connection_class import Connection
from .read_only_files import build_unlocked_uri, keep_index_in_memory

if TYPE_CHECKING:
    from pathlib import Path

    from aurora.memory.sqlite.file import DatabaseState

_ATTEMPTS = 5
"""Attempts to open a database whose files another process creates or removes at the same time."""
_LOG_HEADER_BYTES = 32
"""Bytes of a log without a frame (sqlite.org/fileformat2.html, 4.1)."""
_READ_URI = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI


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
        now = file.read_state(str(path))
        if self.is_shared:
            same = self.state.database is not None and self.state.database.is_same_file(now.database)
            return same and file.find_harm(self.state, now) in {None, FileHarm.SHRUNK}
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
        state = file.read_state(str(path))
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
        shared = "" if siblings.is_written_here(path) else "?readonly_shm=1"
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
    if db.is_current(path):
        return db
    db.close()
    return None


def _has_index(state: DatabaseState) -> bool:
    """Return True if SQLite can read the log with its index."""
    if state.log is None or state.log_index is None or state.log_index.size < file.INDEX_BYTES:
        return False
    return state.log.size != _LOG_HEADER_BYTES
