"""The file as SQLite sees it: pages, trees, and that every index says what its table says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import apsw

from . import schema
from .table import Table

if TYPE_CHECKING:
    from collections.abc import Sequence


class IntegrityQueries(Table):
    """Whether the database is one at all, whatever stands in it."""

    def check_integrity(self, most: int) -> Sequence[str]:
        """What SQLite finds wrong in pages and trees, in its own words; no more than `most`."""
        said = self._fetch_column(f"PRAGMA integrity_check({most})")
        return [" ".join(str(one).split()) for one in said if one != "ok"]

    def list_missing_objects(self) -> Sequence[str]:
        """The names of the tables, indexes and triggers that should be there and are not."""
        there = self._fetch_column("SELECT name FROM sqlite_schema WHERE type IN ('table', 'index', 'trigger')")
        return sorted(list_expected_objects().difference(there))


def get_sqlite_version() -> str:
    """Of the SQLite library that opens the database, in numbers and dots."""
    return apsw.sqlite_lib_version()


def list_expected_objects() -> set[str]:
    """The names of all that a new database has: tables, indexes, triggers."""
    db = apsw.Connection(":memory:")
    try:
        schema.create_schema(db)
        return {str(name) for (name,) in db.execute("SELECT name FROM sqlite_schema")}
    finally:
        db.close()
