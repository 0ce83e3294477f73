"""Integrity check of the file: pages, trees, indexes and schema."""

from __future__ import annotations

from typing import TYPE_CHECKING

import apsw

from aurora.memory.sqlite import schema
from aurora.memory.sqlite.table import Table

if TYPE_CHECKING:
    from collections.abc import Sequence


class IntegrityQueries(Table):
    """Integrity queries, whatever the tables contain."""

    def check_integrity(self, most: int) -> Sequence[str]:
        """Run SQLite's integrity check; return at most `most` messages."""
        messages = self._fetch_column(f"PRAGMA integrity_check({most})")
        return [" ".join(str(message).split()) for message in messages if message != "ok"]

    def list_missing_objects(self) -> Sequence[str]:
        """List the missing tables, indexes and triggers."""
        existing = self._fetch_column("SELECT name FROM sqlite_schema WHERE type IN ('table', 'index', 'trigger')")
        return sorted(list_expected_objects().difference(existing))


def get_sqlite_version() -> str:
    """Return the version of the SQLite library."""
    return apsw.sqlite_lib_version()


def list_expected_objects() -> set[str]:
    """List the tables, indexes and triggers of a new database."""
    db = apsw.Connection(":memory:")
    try:
        schema.create_schema(db)
        return {str(name) for (name,) in db.execute("SELECT name FROM sqlite_schema")}
    finally:
        db.close()
