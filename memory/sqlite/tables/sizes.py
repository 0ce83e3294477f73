"""How much there is of everything, in rows and in bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from aurora.memory.sqlite.table import Part

if TYPE_CHECKING:
    from collections.abc import Mapping

PARTS: Mapping[str, tuple[str, ...]] = {
    "text": ("chunks", "files"),
    "words": ("docs", "postings", "segments"),
    "vectors": ("vectors",),
    "graph": ("edges", "graph_gone", "graph_packed", "graph_pending", "nodes", "refs"),
    "journal": ("runs", "steps"),
}
"""Part -> its tables; their indexes count with them, and whatever is in no part is `other`."""

_HELD = "SELECT (SELECT count(*) FROM files), (SELECT count(*) FROM vectors), (SELECT count(*) FROM runs)"
_LANGUAGES = "SELECT language, count(*) FROM chunks WHERE language != '' GROUP BY language ORDER BY 2 DESC, 1"
_SIZES = """
SELECT coalesce(sqlite_schema.tbl_name, dbstat.name), sum(dbstat.pgsize)
FROM dbstat LEFT JOIN sqlite_schema ON sqlite_schema.name = dbstat.name WHERE dbstat.aggregate = TRUE GROUP BY 1
"""


class Held(NamedTuple):
    """How many there are."""

    files: int
    vectors: int
    runs: int


class Used(NamedTuple):
    """How often chunks were used, as far as it is kept, and how many chunks that were."""

    accesses: int
    chunks: int


class Amounts(Part):
    """All are counted when they are asked for."""

    def held(self) -> Held:
        """How many files, vectors and runs there are."""
        ((files, vectors, runs),) = self._all(_HELD)
        return Held(files, vectors, runs)

    def used(self) -> Used:
        """How often chunks were used."""
        ((accesses, chunks),) = self._all("SELECT count(*), count(DISTINCT id) FROM accesses")
        return Used(accesses, chunks)

    def by_type(self) -> dict[str, int]:
        """How many chunks there are of each type that there is."""
        return dict(self._all("SELECT type, count(*) FROM chunks GROUP BY type"))

    def by_language(self) -> dict[str, int]:
        """How many chunks there are in each language, the most common first."""
        return dict(self._all(_LANGUAGES))

    def sizes(self) -> dict[str, int]:
        """Bytes of each of `PARTS`, of what is `other`, and of what is `free`: pages that the next writes use."""
        by_table = dict(self._all(_SIZES))
        sizes = {part: sum(by_table.pop(table, 0) for table in tables) for part, tables in PARTS.items()}
        free = int(self._one("PRAGMA freelist_count")) * int(self._one("PRAGMA page_size"))
        return sizes | {"other": sum(by_table.values()), "free": free}
