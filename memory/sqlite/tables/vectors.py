"""What chunks mean: one vector for each, as `meaning.packed` gives it; an empty one for a text without a word."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from aurora.memory.sqlite.table import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    VectorRow = tuple[int, str, bytes]
    """The number of a chunk, its type, and its vector."""
    UnembeddedChunk = tuple[int, str, str | None, str, str]
    """A chunk that has none: its number and type, and what one is made of, its path, symbol and text."""

# Prose is a small part of most projects: it is looked up by where its documents are, for the table of vectors as a
# whole is thirty megabytes at a hundred thousand chunks.
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
    """They belong to their chunks, and go with them."""

    def insert(self, n: int, type_: str, body: bytes) -> None:
        """Write the vector of one chunk, unless it has one."""
        self._db.execute(_INSERT_VECTOR, (n, type_, body))

    def get_by_file(self, path: str) -> dict[str, bytes]:
        """Those of a file's chunks, by the chunk's id."""
        return dict(self._fetch_rows("SELECT id, body FROM chunks JOIN vectors USING (n) WHERE path = ?", path))

    def list_newer(self, last: int, *, prose: bool) -> Sequence[VectorRow]:
        """Those of chunks whose number is above `last`, rising; with `prose` only of what is no code."""
        where = f"{_FROM_PROSE} AND" if prose else "FROM vectors WHERE"
        return self._fetch_rows(f"SELECT n, vectors.type, body {where} n > ? ORDER BY n", last)

    def list_numbers(self, last: int, *, prose: bool) -> Sequence[int]:
        """The numbers up to `last` that have one; with `prose` only of what is no code."""
        where = f"{_FROM_PROSE} AND" if prose else "FROM vectors WHERE"
        return self._fetch_column(f"SELECT n {where} n <= ?", last)

    def get_ranges(self, runs: Sequence[tuple[int, int]], size: int) -> Sequence[tuple[int, bytes]]:
        """Those of `size` bytes, of the chunks whose numbers lie from the first to the last of a run; by number."""
        return sorted(self._fetch_rows(_SELECT_RANGES, json.dumps(runs), size))

    def count_missing(self) -> int:
        """How many chunks have none."""
        return int(self._fetch_value("SELECT (SELECT count(*) FROM chunks) - (SELECT count(*) FROM vectors)"))

    def list_unembedded(self, below: int, most: int) -> Sequence[UnembeddedChunk]:
        """Chunks that have none and a number below `below`, the newest first; no more than `most`.

        Asked for no more than are missing, it does not look through the chunks of a whole project after one edit.
        """
        return self._fetch_rows(_SELECT_UNEMBEDDED, below, most)

    def get_record_vectors(self) -> dict[str, bytes]:
        """Those of chunks that no file holds, by the chunk's id; of texts without a word none."""
        sql = "SELECT c.id, v.body FROM vectors v JOIN chunks c USING (n) WHERE c.path IS NULL AND length(v.body) > 0"
        return dict(self._fetch_rows(sql))
