"""Read access to a database as it is, without creation or migration."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from . import file
from .connections import ReadOnlyConnection, check_readable, open_connection
from .errors import build_changed_fault, translate_errors
from .transaction import SqliteTables

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_BUSY_TIMEOUT = 5.0


@contextmanager
def open_for_check(database: Path) -> Iterator[SqliteTables | None]:
    """Open the tables in one read transaction; None for an empty file.

    Raises:
        Fault: CONFLICT for a database of a newer version or another program, FORBIDDEN when it is unreadable,
            TIMEOUT when it is locked, UPSTREAM_ERROR when it is too damaged for queries.
    """
    with translate_errors(database):
        file.check_file(database)
        file.check_log(database)
        db = open_connection(database, read_only=True, busy_timeout=_BUSY_TIMEOUT)
        try:
            if not check_readable(db, database):
                yield None
                return
            db.execute("BEGIN")
            yield SqliteTables(db)
            if isinstance(db, ReadOnlyConnection) and not db.is_shared and not db.is_current(database):
                raise build_changed_fault(database)
        finally:
            db.close()


def find_log_end(database: Path) -> str | None:
    """Describe an incomplete or damaged transaction at the end of the log; None for an intact log.

    Raises:
        Fault: FORBIDDEN or UPSTREAM_ERROR when it is unreadable.
    """
    with translate_errors(database):
        return file.find_log_end(database)
