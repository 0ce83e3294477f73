"""What chunks mean: one vector for each, as `meaning.packed` gives it; an empty one for a text without a word."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from aurora.memory.sqlite.table import Part

if TYPE_CHECKING:
    from collections.abc import Sequence

    Vector = tuple[int, str, bytes]
    """The number of a chunk, its type, and its vector."""
    Bare = tuple[int, str, str | None, str, str]
    """A chunk that has none: its number and type, and what one is made of, its path, symbol and text."""

# Prose is a small part of most projects: it is looked up by where its documents are, for the table of vectors as a
# whole is thirty megabytes at a hundred thousand chunks.
_PROSE = "FROM docs CROSS JOIN vectors ON n BETWEEN first_n AND last_n WHERE docs.type != 'code'"
_RUNS = """
SELECT n, body FROM json_each(?) AS run CROSS JOIN vectors ON n BETWEEN run.value ->> 0 AND run.value ->> 1
WHERE length(body) = ?
"""
_WITHOUT = """
SELECT n, type, path, symbol, text FROM chunks
WHERE n < ? AND NOT EXISTS (SELECT 1 FROM vectors WHERE vectors.n = chunks.n) ORDER BY n DESC LIMIT ?
"""
_PUT = "INSERT INTO vectors (n, type, body) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"


class Vectors(Part):
    """They belong to their chunks, and go with them."""

    def put(self, n: int, type_: str, body: bytes) -> None:
        """Write the vector of one chunk, unless it has one."""
        self._db.execute(_PUT, (n, type_, body))

    def of_file(self, path: str) -> dict[str, bytes]:
        """Those of a file's chunks, by the chunk's id."""
        return dict(self._all("SELECT id, body FROM chunks JOIN vectors USING (n) WHERE path = ?", path))

    def newer(self, last: int, *, prose: bool) -> Sequence[Vector]:
        """Those of chunks whose number is above `last`, rising; with `prose` only of what is no code."""
        where = f"{_PROSE} AND" if prose else "FROM vectors WHERE"
        return self._all(f"SELECT n, vectors.type, body {where} n > ? ORDER BY n", last)

    def alive(self, last: int, *, prose: bool) -> Sequence[int]:
        """The numbers up to `last` that have one; with `prose` only of what is no code."""
        where = f"{_PROSE} AND" if prose else "FROM vectors WHERE"
        return self._column(f"SELECT n {where} n <= ?", last)

    def of_runs(self, runs: Sequence[tuple[int, int]], size: int) -> Sequence[tuple[int, bytes]]:
        """Those of `size` bytes, of the chunks whose numbers lie from the first to the last of a run; by number."""
        return sorted(self._all(_RUNS, json.dumps(runs), size))

    def missing(self) -> int:
        """How many chunks have none."""
        return int(self._one("SELECT (SELECT count(*) FROM chunks) - (SELECT count(*) FROM vectors)"))

    def without(self, below: int, most: int) -> Sequence[Bare]:
        """Chunks that have none and a number below `below`, the newest first; no more than `most`.

        Asked for no more than are missing, it does not look through the chunks of a whole project after one edit.
        """
        return self._all(_WITHOUT, below, most)

    def of_records(self) -> dict[str, bytes]:
        """Those of chunks that no file holds, by the chunk's id; of texts without a word none."""
        sql = "SELECT c.id, v.body FROM vectors v JOIN chunks c USING (n) WHERE c.path IS NULL AND length(v.body) > 0"
        return dict(self._all(sql))
