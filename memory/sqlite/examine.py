"""A database as it is, damaged or not: opened to be looked at, never made, grown or mended."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from aurora.memory.sqlite.tables.all import Tables

from .connection import check_to_read, connect, inspect
from .errors import spoken

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_PATIENCE = 5.0


@contextmanager
def examined(database: Path) -> Iterator[Tables | None]:
    """The tables of a file inside one read transaction; None for one that is still empty.

    Raises:
        Fault: CONFLICT for a database of a newer version or another program, FORBIDDEN when it may not be read,
            TIMEOUT when it is locked, UPSTREAM_ERROR when it is damaged so much that nothing can be asked.
    """
    with spoken(database):
        inspect(database)
        db = connect(database, read_only=True, patience=_PATIENCE)
        try:
            if not check_to_read(db, database):
                yield None
                return
            db.execute("BEGIN")
            yield Tables(db)
        finally:
            db.close()
