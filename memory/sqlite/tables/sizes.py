"""How much there is of everything, in rows and in bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from aurora.memory.sqlite.table import Table

if TYPE_CHECKING:
    from collections.abc import Mapping

PART_TABLES: Mapping[str, tuple[str, ...]] = {
    "text": ("chunks", "files"),
    "words": ("docs", "postings", "segments"),
    "vectors": ("vectors",),
    "graph": ("edges", "graph_gone", "graph_packed", "graph_pending", "nodes", "refs"),
    "journal": ("runs", "steps"),
}
"""Part -> its tables; their indexes count with them, and whatever is in no part is `other`."""

_COUNT_ROWS = "SELECT (SELECT count(*) FROM files), (SELECT count(*) FROM vectors), (SELECT count(*) FROM runs)"
_COUNT_BY_LANGUAGE = "SELECT language, count(*) FROM chunks WHERE language != '' GROUP BY language ORDER BY 2 DESC, 1"
_MEASURE_TABLES = """
SELECT coalesce(sqlite_schema.tbl_name, dbstat.name), sum(dbstat.pgsize)
FROM dbstat LEFT JOIN sqlite_schema ON sqlite_schema.name = dbstat.name WHERE dbstat.aggregate = TRUE GROUP BY 1
"""


class RowCounts(NamedTuple):
    """How many there are."""

    files: int
    vectors: int
    runs: int


class UsageCounts(NamedTuple):
    """How often chunks were used, as far as it is kept, and how many chunks that were."""

    accesses: int
    chunks: int


class SizeQueries(Table):
    """All are counted when they are asked for."""

    def count_rows(self) -> RowCounts:
        """How many files, vectors and runs there are."""
        ((files, vectors, runs),) = self._fetch_rows(_COUNT_ROWS)
        return RowCounts(files, vectors, runs)

    def count_accesses(self) -> UsageCounts:
        """How often chunks were used."""
        ((accesses, chunks),) = self._fetch_rows("SELECT count(*), count(DISTINCT id) FROM accesses")
        return UsageCounts(accesses, chunks)

    def count_by_type(self) -> dict[str, int]:
        """How many chunks there are of each type that there is."""
        return dict(self._fetch_rows("SELECT type, count(*) FROM chunks GROUP BY type"))

    def count_by_language(self) -> dict[str, int]:
        """How many chunks there are in each language, the most common first."""
        return dict(self._fetch_rows(_COUNT_BY_LANGUAGE))

    def measure_parts(self) -> dict[str, int]:
        """Bytes of each of `PARTS`, of what is `other`, and of what is `free`: pages that the next writes use."""
        by_table = dict(self._fetch_rows(_MEASURE_TABLES))
        sizes = {part: sum(by_table.pop(table, 0) for table in tables) for part, tables in PART_TABLES.items()}
        free = int(self._fetch_value("PRAGMA freelist_count")) * int(self._fetch_value("PRAGMA page_size"))
        return sizes | {"other": sum(by_table.values()), "free": free}
