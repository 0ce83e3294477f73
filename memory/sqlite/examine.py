"""Read access to a database as it is, without creation or migration."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

import apsw

from aurora.errors import check_cancelled

from . import header, owner
from .connect import is_writable, open_connection, require_current
from .errors import ChangedDatabase, to_fault, translate_errors
from .read_only import ReadOnlyConnection
from .session import build_tables

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from aurora.memory.storage.store import Tables

    from .read_only import Connection

ResultT = TypeVar("ResultT")

_BUSY_TIMEOUT = 5.0
_ATTEMPTS = 5
_RETRY_SECONDS = 0.05
"""Seconds before the second attempt; each further one waits twice as long."""


def read_for_check(database: Path, read: Callable[[Tables | None], ResultT]) -> ResultT:
    """Read the tables in one read transaction, and again when they are changed meanwhile, a few times.

    A database without a log is read without locks. As soon as another connection writes, such as the one with which a
    server indexes changes, it has a log, which the next attempt shares: that one sees a snapshot.

    Args:
        database: the file.
        read: reads the tables; None for an empty file.

    Raises:
        Fault: as `_open_tables`, and CONFLICT when every attempt was disturbed.
    """
    for attempt in range(_ATTEMPTS - 1):
        try:
            return _read_once(database, read)
        except ChangedDatabase:
            check_cancelled()
            time.sleep(_RETRY_SECONDS * 2**attempt)
    return _read_once(database, read)


def _read_once(database: Path, read: Callable[[Tables | None], ResultT]) -> ResultT:
    with _open_tables(database) as tables:
        return read(tables)


@contextmanager
def _open_tables(database: Path) -> Iterator[Tables | None]:
    """Open the tables in one read transaction; None for an empty file.

    Raises:
        Fault: CONFLICT for a database of a newer version or another program, FORBIDDEN when it is unreadable,
            TIMEOUT when it is locked, UPSTREAM_ERROR when it is too damaged for queries; `ChangedDatabase` when it was
            changed meanwhile, after which nothing that was read counts.
    """
    with translate_errors(database):
        owner.require_own(database)
        header.check_file(database)
        if not database.stat().st_size:
            yield None
            return
        db = open_connection(database, read_only=True, busy_timeout=_BUSY_TIMEOUT)
        try:
            require_current(db, database)
            db.execute("BEGIN")
            try:
                yield build_tables(db)
            except Exception:
                _require_unchanged(db, database)  # else pages of two states look like damage
                raise
            _require_unchanged(db, database)
        finally:
            db.close()


def _require_unchanged(db: Connection, database: Path) -> None:
    if isinstance(db, ReadOnlyConnection) and not db.is_shared and not db.is_current(database):
        raise ChangedDatabase(database)


def settle_files(database: Path, *, moves: bool) -> bool:
    """Set files that this account did not make aside; return whether a memory of this account is there.

    Args:
        database: the file.
        moves: the project may be written; else nothing is moved, and it is said.

    Raises:
        Fault: FORBIDDEN for a link, or when a file cannot be moved.
    """
    with translate_errors(database):
        return owner.settle_files(database, moves=moves and is_writable(database)) and database.exists()


def list_foreign(database: Path) -> list[Path]:
    """List the databases at a place, or moved aside there, that this account did not make.

    Raises:
        Fault: as `settle_files`.
        OSError: the path is none.
    """
    try:
        return owner.list_foreign(database)
    except apsw.Error as error:
        raise to_fault(error, database) from error
