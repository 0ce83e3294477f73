"""Table of accesses: times in seconds since 1970, which outlive chunks."""

from __future__ import annotations

from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from aurora.memory.postgres.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from aurora.memory.model.chunks import ChunkUse


_INSERT = """
INSERT INTO accesses (id, at) SELECT * FROM unnest($1::text[], $2::float8[]) ON CONFLICT DO NOTHING
"""
_INSERT_EXISTING = """
INSERT INTO accesses (id, at)
SELECT used.id, used.at FROM unnest($1::text[], $2::float8[]) AS used (id, at) JOIN chunks USING (id)
ON CONFLICT DO NOTHING
"""
_DELETE_OLDEST = """
DELETE FROM accesses WHERE (id, at) IN (
    SELECT id, at FROM (
        SELECT id, at, row_number() OVER (PARTITION BY id ORDER BY at DESC) AS place FROM accesses AS ranked
        WHERE id = ANY($1::text[])
    ) AS placed WHERE place > $2
)
"""
_DELETE_USES = """
DELETE FROM accesses WHERE (id, at) IN (SELECT * FROM unnest($1::text[], $2::float8[]))
"""


class UsageTable(Table):
    """Accesses by chunk id, each time once."""

    def add_existing(self, uses: Iterable[ChunkUse]) -> None:
        """Add accesses of existing chunks."""
        self._write_rows(_INSERT_EXISTING, uses)

    def add(self, uses: Iterable[ChunkUse]) -> None:
        """Add accesses, also of missing chunks."""
        self._write_rows(_INSERT, uses)

    def trim(self, ids: Iterable[str], most: int) -> None:
        """Remove the oldest accesses beyond `most` of each chunk."""
        self._execute(_DELETE_OLDEST, list(ids), most)

    def get_by_id(self, ids: Iterable[str]) -> dict[str, tuple[float, ...]]:
        """Return the accesses by id, oldest first; leave unused chunks out."""
        sql = "SELECT id, at FROM accesses WHERE id = ANY($1::text[]) ORDER BY id, at"
        return dict(_group_by_chunk(self._fetch_rows(sql, list(ids))))

    def iter_all(self) -> Iterator[tuple[str, tuple[float, ...]]]:
        """Yield every id in order with its accesses, oldest first."""
        return _group_by_chunk(self._iter_rows("SELECT id, at FROM accesses ORDER BY id, at"))

    def iter_existing(self) -> Iterator[tuple[str, tuple[float, ...]]]:
        """Yield every existing id in order with its accesses, oldest first."""
        sql = "SELECT id, at FROM accesses WHERE id IN (SELECT id FROM chunks) ORDER BY id, at"
        return _group_by_chunk(self._fetch_rows(sql))

    def remove_uses(self, uses: Iterable[ChunkUse]) -> None:
        """Remove these accesses."""
        self._write_rows(_DELETE_USES, uses)

    def clear(self) -> None:
        """Remove all accesses."""
        self._execute("DELETE FROM accesses")

    def remove(self, ids: Iterable[str]) -> None:
        """Remove all accesses of these chunks."""
        self._execute("DELETE FROM accesses WHERE id = ANY($1::text[])", list(ids))


def _group_by_chunk(uses: Iterable[Any]) -> Iterator[tuple[str, tuple[float, ...]]]:
    """Group sorted accesses by chunk."""
    for id_, group in groupby(uses, key=itemgetter(0)):
        yield id_, tuple(at for _, at in group)
