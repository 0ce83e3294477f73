"""Table of accesses: times in seconds since 1970, which outlive chunks."""

from __future__ import annotations

import json
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from aurora.memory.sqlite.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from aurora.memory.model.chunks import ChunkUse


_INSERT = "INSERT OR IGNORE INTO accesses (id, at) VALUES (?, ?)"
_INSERT_EXISTING = "INSERT OR IGNORE INTO accesses (id, at) SELECT id, ?2 FROM chunks WHERE id = ?1"
_DELETE_OLDEST = """
DELETE FROM accesses WHERE (id, at) IN (
    SELECT id, at FROM (
        SELECT id, at, row_number() OVER (PARTITION BY id ORDER BY at DESC) AS place FROM accesses
        WHERE id IN (SELECT value FROM json_each(?))
    ) WHERE place > ?
)
"""


class UsageTable(Table):
    """Accesses by chunk id, each time once."""

    def add_existing(self, uses: Iterable[ChunkUse]) -> None:
        """Add accesses of existing chunks."""
        self._db.executemany(_INSERT_EXISTING, uses)

    def add(self, uses: Iterable[ChunkUse]) -> None:
        """Add accesses, also of missing chunks."""
        self._db.executemany(_INSERT, uses)

    def trim(self, ids: Iterable[str], most: int) -> None:
        """Remove the oldest accesses beyond `most` of each chunk."""
        self._db.execute(_DELETE_OLDEST, (json.dumps(list(ids)), most))

    def get_by_id(self, ids: Iterable[str]) -> dict[str, tuple[float, ...]]:
        """Return the accesses by id, oldest first; leave unused chunks out."""
        sql = "SELECT id, at FROM accesses WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id, at"
        return dict(_group_by_chunk(self._fetch_rows(sql, json.dumps(list(ids)))))

    def iter_all(self) -> Iterator[tuple[str, tuple[float, ...]]]:
        """Yield every id in order with its accesses, oldest first."""
        return _group_by_chunk(self._db.execute("SELECT id, at FROM accesses ORDER BY id, at"))

    def iter_existing(self) -> Iterator[tuple[str, tuple[float, ...]]]:
        """Yield every existing id in order with its accesses, oldest first."""
        return _group_by_chunk(
            self._fetch_rows("SELECT id, at FROM accesses WHERE id IN (SELECT id FROM chunks) ORDER BY id, at")
        )

    def remove_uses(self, uses: Iterable[ChunkUse]) -> None:
        """Remove these accesses."""
        self._db.executemany("DELETE FROM accesses WHERE id = ? AND at = ?", uses)

    def clear(self) -> None:
        """Remove all accesses."""
        self._db.execute("DELETE FROM accesses")

    def remove(self, ids: Iterable[str]) -> None:
        """Remove all accesses of these chunks."""
        self._db.executemany("DELETE FROM accesses WHERE id = ?", ((id_,) for id_ in ids))


def _group_by_chunk(uses: Iterable[Any]) -> Iterator[tuple[str, tuple[float, ...]]]:
    """Group sorted accesses by chunk."""
    for id_, group in groupby(uses, key=itemgetter(0)):
        yield id_, tuple(at for _, at in group)
