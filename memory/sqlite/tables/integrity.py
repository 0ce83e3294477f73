"""Integrity check of the file: pages, trees, indexes and schema."""

from __future__ import annotations

from collections import Counter
from contextlib import closing, contextmanager
from io import BytesIO
from typing import TYPE_CHECKING

import apsw

from aurora.faults import check_cancelled, open_temporary_folder
from aurora.memory.sqlite import schema
from aurora.memory.sqlite.pages import PageFile, iter_sealed_rows
from aurora.memory.sqlite.seals import SEALED_COLUMNS
from aurora.memory.sqlite.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_MAX_IMAGE_BYTES = 64 * 1024 * 1024
"""Bytes of the largest database whose pages are checked in memory."""
_COPIED_PAGES = 10_000


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

    def list_stray_rows(self) -> Sequence[tuple[str, int]]:
        """List the tables with rows on pages that no tree leads to, and the number of these rows.

        SQLite's check does not notice when a page of one table is in the place of another's.
        """
        columns = {
            table: self._fetch_column("SELECT name FROM pragma_table_info(?)", table) for table in SEALED_COLUMNS
        }
        with self._open_pages() as pages:
            found = Counter(table for table, _ in iter_sealed_rows(pages, columns))
        counts = {table: count - self._count_records(table) for table, count in found.items()}
        return [(table, count) for table, count in counts.items() if count > 0]

    @contextmanager
    def _open_pages(self) -> Iterator[PageFile]:
        """Open the pages as the transaction sees them, those of a large database in a temporary copy."""
        size = self._fetch_value("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")
        if size <= _MAX_IMAGE_BYTES:
            yield PageFile(BytesIO(self._db.serialize("main")))
            return
        with open_temporary_folder("check") as folder:
            copy = folder / "pages.db"
            with closing(apsw.Connection(str(copy))) as target, target.backup("main", self._db, "main") as transfer:
                while not transfer.done:
                    check_cancelled()
                    transfer.step(_COPIED_PAGES)
            with copy.open("rb") as opened:
                yield PageFile(opened)

    def _count_records(self, table: str) -> int:
        where = "WHERE path IS NULL" if table == "chunks" else ""
        return int(self._fetch_value(f"SELECT count(*) FROM {table} {where}"))


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
