"""Table of embeddings, one per chunk; empty for a text without words."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from aurora.memory.sqlite.table import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aurora.memory.model.chunks import UnembeddedChunk, VectorRow


# Prose is a small part of most projects: it is looked up by the ranges of its documents, since the whole table of
# vectors has thirty megabytes at a hundred thousand chunks.
_FROM_PROSE = "FROM docs CROSS JOIN vectors ON n BETWEEN first_n AND last_n WHERE docs.type != 'code'"
_SELECT_RANGES = """
SELECT n, body FROM json_each(?) AS run CROSS JOIN vectors ON n BETWEEN run.value ->> 0 AND run.value ->> 1
WHERE length(body) = ?
"""
_SELECT_UNEMBEDDED = """
SELECT n, type, path, symbol, text FROM chunks
WHERE n < ? AND NOT EXISTS (SELECT 1 FROM vectors WHERE vectors.n = chunks.n) ORDER BY n DESC LIMIT ?
"""
_INSERT_VECTOR = "INSERT INTO vectors (n, type, body) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"


class VectorTable(Table):
    """Embeddings of chunks, removed with their chunks."""

    def insert(self, n: int, type_: str, body: bytes) -> None:
        """Insert the vector of a chunk, unless it has one."""
        self._db.execute(_INSERT_VECTOR, (n, type_, body))

    def get_by_file(self, path: str) -> dict[str, bytes]:
        """Return the vectors of a file's chunks by id."""
        return dict(self._fetch_rows("SELECT id, body FROM chunks JOIN vectors USING (n) WHERE path = ?", path))

    def list_newer(self, last: int, *, prose: bool) -> Sequence[VectorRow]:
        """List vectors with a number above `last`; `prose` leaves code out."""
        where = f"{_FROM_PROSE} AND" if prose else "FROM vectors WHERE"
        return self._fetch_rows(f"SELECT n, vectors.type, body {where} n > ? ORDER BY n", last)

    def list_numbers(self, last: int, *, prose: bool) -> Sequence[int]:
        """List the numbers up to `last` with a vector; `prose` leaves code out."""
        where = f"{_FROM_PROSE} AND" if prose else "FROM vectors WHERE"
        return self._fetch_column(f"SELECT n {where} n <= ?", last)

    def get_ranges(self, runs: Sequence[tuple[int, int]], size: int) -> Sequence[tuple[int, bytes]]:
        """Return the vectors of `size` bytes in ranges of numbers, by number."""
        return sorted(self._fetch_rows(_SELECT_RANGES, json.dumps(runs), size))

    def count_missing(self) -> int:
        """Count chunks without a vector."""
        return int(self._fetch_value("SELECT (SELECT count(*) FROM chunks) - (SELECT count(*) FROM vectors)"))

    def list_unembedded(self, below: int, most: int) -> Sequence[UnembeddedChunk]:
        """List the newest chunks below `below` without a vector, newest first.

        With the number of missing vectors as the limit, it does not scan all chunks after one edit.
        """
        return self._fetch_rows(_SELECT_UNEMBEDDED, below, most)

    def get_record_vectors(self) -> dict[str, bytes]:
        """Return the non-empty vectors of records by id."""
        sql = "SELECT c.id, v.body FROM vectors v JOIN chunks c USING (n) WHERE c.path IS NULL AND length(v.body) > 0"
        return dict(self._fetch_rows(sql))
