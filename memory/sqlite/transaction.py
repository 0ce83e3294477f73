"""All tables in one transaction."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from aurora.memory.sqlite import tables

if TYPE_CHECKING:
    import apsw


class SqliteTables:
    """Access to the tables by topic; implements `memory.storage.Tables`.

    A table's module is imported on first use, since a search from the command line takes a fifth of a second in total.
    """

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def optimize(self) -> None:
        """Update the query planner's statistics after a large write."""
        self._db.pragma("optimize")

    meta = cached_property(lambda self: tables.MetaTable(self._db))
    files = cached_property(lambda self: tables.FileTable(self._db))
    chunks = cached_property(lambda self: tables.ChunkTable(self._db))
    contents = cached_property(lambda self: tables.ContentTable(self._db))
    vectors = cached_property(lambda self: tables.VectorTable(self._db))
    postings = cached_property(lambda self: tables.PostingTable(self._db))
    nodes = cached_property(lambda self: tables.NodeTable(self._db))
    links = cached_property(lambda self: tables.LinkTable(self._db))
    references = cached_property(lambda self: tables.ReferenceTable(self._db))
    runs = cached_property(lambda self: tables.RunTable(self._db))
    usage = cached_property(lambda self: tables.UsageTable(self._db))
    records = cached_property(lambda self: tables.RecordTable(self._db))
    sizes = cached_property(lambda self: tables.SizeQueries(self._db))
    integrity = cached_property(lambda self: tables.IntegrityQueries(self._db))
    damage = cached_property(lambda self: tables.DamageQueries(self._db))
