"""Sizes of the memory in rows and bytes."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING

from aurora.memory.model.runs import RowCounts, UsageCounts
from aurora.memory.postgres.table import Table

if TYPE_CHECKING:
    from collections.abc import Mapping

_PART_TABLES: Mapping[str, tuple[str, ...]] = {
    "text": ("chunks", "contents", "files"),
    "words": ("docs", "postings", "segments"),
    "vectors": ("vectors",),
    "graph": ("edges", "graph_gone", "graph_packed", "graph_pending", "nodes", "refs"),
    "journal": ("runs", "steps"),
    "other": ("accesses", "facts", "remembered", "shared_records", "undo"),
}
"""Part -> its tables."""

_COUNT_ROWS = """
SELECT (SELECT count(*) FROM files), (SELECT count(*) FROM vectors), (SELECT count(*) FROM runs),
    (SELECT count(*) FROM nodes)
"""
_COUNT_BY_LANGUAGE = """
SELECT language, count(*) FROM chunks WHERE language != '' GROUP BY language ORDER BY 2 DESC, 1
"""
_SELECT_ENCODED = """
SELECT path, min(metadata) FROM chunks WHERE path IS NOT NULL AND strpos(metadata, '"encoding"') > 0 GROUP BY path
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
        return dict(self._fetch_rows("SELECT type, count(*) FROM chunks GROUP BY type ORDER BY type"))

    def count_by_language(self) -> dict[str, int]:
        """Count chunks by language, the most common first."""
        return dict(self._fetch_rows(_COUNT_BY_LANGUAGE))

    def count_by_encoding(self) -> dict[str, int]:
        """Count files that are not UTF-8 by encoding, the most common first."""
        found = (json.loads(metadata).get("encoding") for _, metadata in self._fetch_rows(_SELECT_ENCODED))
        counts = Counter(encoding for encoding in found if isinstance(encoding, str))
        return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))

    def measure_parts(self) -> dict[str, int]:
        """Measure the bytes of the project's rows by part; the server's pages and indexes come in addition."""
        sizes = {part: sum(map(self._measure_table, tables)) for part, tables in _PART_TABLES.items()}
        return sizes | {"free": 0}

    def _measure_table(self, table: str) -> int:
        return int(self._fetch_value(f"SELECT coalesce(sum(pg_column_size(whole.*)), 0) FROM {table} AS whole"))
