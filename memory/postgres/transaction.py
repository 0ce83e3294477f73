"""All tables of one project in one transaction."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from aurora.memory.postgres import tables

if TYPE_CHECKING:
    import psycopg


class PostgresTables:
    """Access to the tables by topic; implements `memory.storage.Tables`.

    A table's module is imported on first use.
    """

    def __init__(self, db: psycopg.Connection[tuple[Any, ...]], project: int) -> None:
        self._db = db
        self._project = project

    def optimize(self) -> None:
        """Leave the query planner's statistics to the server's autovacuum."""

    meta = cached_property(lambda self: tables.MetaTable(self._db, self._project))
    files = cached_property(lambda self: tables.FileTable(self._db, self._project))
    chunks = cached_property(lambda self: tables.ChunkTable(self._db, self._project))
    contents = cached_property(lambda self: tables.ContentTable(self._db, self._project))
    vectors = cached_property(lambda self: tables.VectorTable(self._db, self._project))
    postings = cached_property(lambda self: tables.PostingTable(self._db, self._project))
    nodes = cached_property(lambda self: tables.NodeTable(self._db, self._project))
    links = cached_property(lambda self: tables.LinkTable(self._db, self._project))
    references = cached_property(lambda self: tables.ReferenceTable(self._db, self._project))
    runs = cached_property(lambda self: tables.RunTable(self._db, self._project))
    usage = cached_property(lambda self: tables.UsageTable(self._db, self._project))
    records = cached_property(lambda self: tables.RecordTable(self._db, self._project))
    sizes = cached_property(lambda self: tables.SizeQueries(self._db, self._project))
    integrity = cached_property(lambda self: tables.IntegrityQueries(self._db, self._project))
    damage = cached_property(lambda self: tables.DamageQueries(self._db, self._project))
