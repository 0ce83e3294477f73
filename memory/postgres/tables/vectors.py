"""Table of embeddings, one per chunk; empty for a text without words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.memory.postgres.table import Table, decode_nul

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aurora.memory.model.chunks import UnembeddedChunk, VectorRow

# Bytes and not pgvector's type: the search ranks by the same matrix in its process as with SQLite, so that answers are
# equal, and an upgrade of the extension is no upgrade of Aurora.
_FROM_PROSE = """
FROM docs JOIN vectors ON vectors.n BETWEEN docs.first_n AND docs.last_n WHERE docs.type != 'code' AND
"""
_FROM_ALL = "FROM vectors WHERE"
_SELECT_RANGES = """
SELECT n, body FROM unnest($1::bigint[], $2::bigint[]) AS asked (low, high)
JOIN vectors ON n BETWEEN asked.low AND asked.high
WHERE length(body) = $3 ORDER BY n, body
"""
_SELECT_UNEMBEDDED = """
SELECT n, type, path, symbol, text FROM chunks
WHERE n < $1 AND NOT EXISTS (SELECT 1 FROM vectors WHERE vectors.n = chunks.n) ORDER BY n DESC LIMIT $2
"""
_INSERT_VECTOR = """
INSERT INTO vectors (n, type, body) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING
"""


class VectorTable(Table):
    """Embeddings of chunks, removed with their chunks."""

    def insert(self, n: int, type_: str, body: bytes) -> None:
        """Insert the vector of a chunk, unless it has one."""
        self._execute(_INSERT_VECTOR, n, type_, body)

    def get_by_file(self, path: str) -> dict[str, bytes]:
        """Return the vectors of a file's chunks by id."""
        return dict(self._fetch_rows("SELECT id, body FROM chunks JOIN vectors USING (n) WHERE path = $1", path))

    def list_newer(self, last: int, *, prose: bool) -> Sequence[VectorRow]:
        """List vectors with a number above `last`; `prose` leaves code out."""
        where = _FROM_PROSE if prose else _FROM_ALL
        return self._fetch_rows(f"SELECT vectors.n, vectors.type, body {where} vectors.n > $1 ORDER BY 1", last)

    def list_numbers(self, last: int, *, prose: bool) -> Sequence[int]:
        """List the numbers up to `last` with a vector; `prose` leaves code out."""
        return self._fetch_column(
            f"SELECT vectors.n {_FROM_PROSE if prose else _FROM_ALL} vectors.n <= $1 ORDER BY 1", last
        )

    def get_ranges(self, runs: Sequence[tuple[int, int]], size: int) -> Sequence[tuple[int, bytes]]:
        """Return the vectors of `size` bytes in ranges of numbers, by number."""
        return self._fetch_rows(_SELECT_RANGES, [low for low, _ in runs], [high for _, high in runs], size)

    def count_missing(self) -> int:
        """Count chunks without a vector."""
        return int(self._fetch_value("SELECT (SELECT count(*) FROM chunks) - (SELECT count(*) FROM vectors)"))

    def list_unembedded(self, below: int, most: int) -> Sequence[UnembeddedChunk]:
        """List the newest chunks below `below` without a vector, newest first.

        With the number of missing vectors as the limit, it does not scan all chunks after one edit.
        """
        rows = self._fetch_rows(_SELECT_UNEMBEDDED, below, most)
        return [(n, type_, path, decode_nul(symbol), decode_nul(text)) for n, type_, path, symbol, text in rows]

    def get_record_vectors(self) -> dict[str, bytes]:
        """Return the non-empty vectors of records by id."""
        sql = "SELECT id, body FROM vectors JOIN chunks USING (n) WHERE path IS NULL AND length(body) > 0"
        return dict(self._fetch_rows(sql))
