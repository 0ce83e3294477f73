"""Pool of connections to one database file, dropped when another program changes the file."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import apsw

from aurora.memory.sqlite import file_state
from aurora.memory.sqlite.file_state import FileHarm

if TYPE_CHECKING:
    from pathlib import Path

    from aurora.memory.sqlite.file_state import DatabaseState, FileMark
    from aurora.memory.sqlite.transaction import SqliteTables

    from .read_only import Connection


class PooledConnection(NamedTuple):
    """Pooled connection, its tables, and the epoch of its file."""

    db: Connection
    tables: SqliteTables
    epoch: int


class ConnectionPool:
    """Idle connections, and the state of the files that they have open; the caller locks it.

    Args:
        path: the database file.

    Attributes:
        epoch: counts how often the file was moved, deleted, replaced or restored.
        identity: the mark of the file that the connections have open; None for a missing one.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._name = str(path)
        self._idle: list[PooledConnection] = []
        self._open_count = 0
        self._seen: DatabaseState | None = None
        self.epoch = 0
        self.identity: FileMark | None = None

    def find_change(self) -> FileHarm | None:
        """Find what another program did to the files since the last use; None without harm or connections."""
        if self._seen is None:
            return None
        now = file_state.read_state(self._name)
        harm = file_state.find_harm(self._seen, now)
        if harm is None:
            self._seen = now
        return harm

    def is_same_file(self) -> bool:
        """Return True while the path leads to the file that the connections have open."""
        now = file_state.read_mark(self._name)
        return now is None if self.identity is None else self.identity.is_same_file(now)

    def take(self) -> PooledConnection | None:
        """Take an idle connection; None if there is none."""
        return self._idle.pop() if self._idle else None

    def count_open(self) -> None:
        """Count a connection that was opened, which comes back through `give_back`."""
        self._open_count += 1

    def give_back(self, pooled: PooledConnection, *, is_kept: bool) -> None:
        """Take a connection back; close it if it is of a former file or `is_kept` is False."""
        if is_kept and pooled.epoch == self.epoch:
            if self._seen is None:
                self._seen = file_state.read_state(self._name)
            else:
                self.find_change()  # counts the growth of the log; harm is for the next transaction to report
            self._idle.append(pooled)
        else:
            self._close(pooled)

    def begin_epoch(self, *, saves_log: bool = False) -> DatabaseState | None:
        """Drop all connections, so that the next transaction opens the file again.

        Args:
            saves_log: let the last connection copy the log into the database. That reads the log's index in memory,
                which must not have lost its file.

        Returns:
            The last state of the files, if a connection was open.
        """
        seen = self._seen
        self._drop(saves_log=saves_log)
        self._seen = self.identity = None
        self.epoch += 1
        return seen

    def close(self) -> None:
        """Close the idle connections; the last one of all processes copies the log into the database."""
        is_intact = self.is_same_file() and self.find_change() in {None, FileHarm.LOG_REMOVED}
        self._drop(saves_log=is_intact)

    def _drop(self, *, saves_log: bool) -> None:
        idle, self._idle = self._idle, []
        for pooled in idle:
            if not saves_log:
                pooled.db.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
            self._close(pooled)

    def _close(self, pooled: PooledConnection) -> None:
        self._open_count -= 1
        if not self._open_count:
            self._seen = None
        pooled.db.close()
