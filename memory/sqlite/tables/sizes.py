"""Sizes of the memory in rows and bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.memory.model.runs import RowCounts, UsageCounts
from aurora.memory.sqlite.table import Table

if TYPE_CHECKING:
    from collections.abc import Mapping

PART_TABLES: Mapping[str, tuple[str, ...]] = {
    "text": ("chunks", "contents", "files"),
    "words": ("docs", "postings", "segments"),
    "vectors": ("vectors",),
    "graph": ("edges", "graph_gone", "graph_packed", "graph_pending", "nodes", "refs"),
    "journal": ("runs", "steps"),
}
"""Part -> its tables, with their indexes; everything else is `other`."""

_COUNT_ROWS = """
SELECT (SELECT count(*) FROM files), (SELECT count(*) FROM vectors), (SELECT count(*) FROM runs),
    (SELECT count(*) FROM nodes)
"""
_COUNT_BY_LANGUAGE = "SELECT language, count(*) FROM chunks WHERE language != '' GROUP BY language ORDER BY 2 DESC, 1"
_COUNT_BY_ENCODING = """
SELECT metadata ->> '$.encoding', count(DISTINCT path) FROM chunks
WHERE path IS NOT NULL AND instr(metadata, '"encoding"') AND json_type(metadata, '$.encoding') = 'text'
GROUP BY 1 ORDER BY 2 DESC, 1
"""
_MEASURE_TABLES = """
SELECT coalesce(sqlite_schema.tbl_name, dbstat.name), sum(dbstat.pgsize)
FROM dbstat LEFT JOIN sqlite_schema ON sqlite_schema.name = dbstat.name WHERE dbstat.aggregate = TRUE GROUP BY 1
"""


class SizeQueries(Table):
    """Queries that count rows and bytes."""

    def count_rows(self) -> RowCounts:
        """Count files, vectors, runs and nodes."""
        ((files, vectors, runs, nodes),) = self._fetch_rows(_COUNT_ROWS)
        return RowCounts(files, vectors, runs, nodes)

    def count_accesses(self) -> UsageCounts:
        """Count accesses."""
        ((accesses, chunks),) = self._fetch_rows("SELECT count(*), count(DISTINCT id) FROM accesses")
        return UsageCounts(accesses, chunks)

    def count_by_type(self) -> dict[str, int]:
        """Count chunks by type."""
        return dict(self._fetch_rows("SELECT type, count(*) FROM chunks GROUP BY type"))

    def count_by_language(self) -> dict[str, int]:
        """Count chunks by language, the most common first."""
        return dict(self._fetch_rows(_COUNT_BY_LANGUAGE))

    def count_by_encoding(self) -> dict[str, int]:
        """Count files that are not UTF-8 by encoding, the most common first."""
        return dict(self._fetch_rows(_COUNT_BY_ENCODING))

    def measure_parts(self) -> dict[str, int]:
        """Measure the bytes of each of `PART_TABLES`, of `other` and of `free` pages."""
        by_table = dict(self._fetch_rows(_MEASURE_TABLES))
        sizes = {part: sum(by_table.pop(table, 0) for table in tables) for part, tables in PART_TABLES.items()}
        free = int(self._fetch_value("PRAGMA freelist_count")) * int(self._fetch_value("PRAGMA page_size"))
        return sizes | {"other": sum(by_table.values()), "free": free}
