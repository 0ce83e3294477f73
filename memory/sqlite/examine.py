"""A database as it is, damaged or not: opened to be looked at, never made, grown or mended."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from aurora.memory.sqlite.tables import Tables

from .connection import check_file, check_readable, open_connection
from .errors import translate_errors

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_BUSY_TIMEOUT = 5.0


@contextmanager
def open_for_check(database: Path) -> Iterator[Tables | None]:
    """The tables of a file inside one read transaction; None for one that is still empty.

    Raises:
        Fault: CONFLICT for a database of a newer version or another program, FORBIDDEN when it may not be read,
            TIMEOUT when it is locked, UPSTREAM_ERROR when it is damaged so much that nothing can be asked.
    """
    with translate_errors(database):
        check_file(database)
        db = open_connection(database, read_only=True, patience=_BUSY_TIMEOUT)
        try:
            if not check_readable(db, database):
                yield None
                return
            db.execute("BEGIN")
            yield Tables(db)
        finally:
            db.close()
