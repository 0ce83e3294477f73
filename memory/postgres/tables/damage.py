"""Queries that find and repair damaged rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.memory.model.runs import RunHead
from aurora.memory.postgres.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


_IS_ORPHAN = "path IS NOT NULL AND path NOT IN (SELECT path FROM files)"
_IS_GARBLED = "metadata IS NOT JSON OBJECT"
_IS_UNREADABLE = "document IS NOT JSON OBJECT"
_SELECT_WRONG_VECTORS = """
SELECT vectors.n FROM vectors LEFT JOIN chunks USING (n)
WHERE chunks.n IS NULL OR chunks.type != vectors.type OR length(body) NOT IN (0, $1)
"""
_DANGLING_ROWS: tuple[tuple[str, str], ...] = (
    ("links", "edges WHERE ref NOT IN (SELECT n FROM refs) OR target NOT IN (SELECT n FROM nodes)"),
    ("links", "edges WHERE NOT EXISTS (SELECT 1 FROM refs WHERE refs.n = edges.ref AND refs.source = edges.source)"),
    ("references", "refs WHERE source NOT IN (SELECT n FROM nodes)"),
    (
        "definitions",
        "nodes WHERE path NOT IN (SELECT path FROM files) AND path NOT IN (SELECT path FROM graph_gone)",
    ),
    ("definitions", "nodes WHERE parent IS NOT NULL AND parent NOT IN (SELECT n FROM nodes AS enclosing)"),
)
_SELECT_RUN_GAPS = """
SELECT run, count(*), max(seq) FROM steps GROUP BY run HAVING count(*) != max(seq) OR min(seq) != 1
ORDER BY run LIMIT $1
"""
_SELECT_HEADLESS = """
SELECT run, count(*) FROM steps WHERE run NOT IN (SELECT run FROM runs) GROUP BY run ORDER BY run LIMIT $1
"""
_REMOVE_ORPHANS = f"DELETE FROM chunks WHERE {_IS_ORPHAN}"
_RESET_METADATA = f"UPDATE chunks SET metadata = '{{}}' WHERE {_IS_GARBLED}"
NO_LIMIT = -1
"""No limit."""


class DamageQueries(Table):
    """Queries over whole tables for a check; `most` limits the results.

    Pages have the server's checksums, and foreign keys exclude rows without what they refer to.
    """

    def list_orphan_chunks(self, most: int = NO_LIMIT) -> Sequence[tuple[str, str]]:
        """List id and path of chunks whose file is not listed."""
        return self._fetch_rows(f"SELECT id, path FROM chunks WHERE {_IS_ORPHAN} LIMIT $1", _to_limit(most))

    def list_garbled_chunks(self, most: int = NO_LIMIT) -> Sequence[str]:
        """List the ids of chunks whose metadata is not a JSON object."""
        return self._fetch_column(f"SELECT id FROM chunks WHERE {_IS_GARBLED} ORDER BY n LIMIT $1", _to_limit(most))

    def remove_orphan_chunks(self) -> None:
        """Remove the chunks whose file is not listed."""
        self._execute(_REMOVE_ORPHANS)

    def reset_garbled_metadata(self) -> Sequence[str]:
        """Empty garbled metadata; return the ids of the affected records."""
        lost = self._fetch_column(f"SELECT id FROM chunks WHERE path IS NULL AND {_IS_GARBLED} ORDER BY n")
        self._execute(_RESET_METADATA)
        return lost

    def count_wrong_vectors(self, size: int) -> int:
        """Count vectors without a chunk, or of a wrong type or size."""
        return int(self._fetch_value(f"SELECT count(*) FROM ({_SELECT_WRONG_VECTORS}) AS wrong", size))

    def remove_wrong_vectors(self, size: int) -> None:
        """Remove the vectors that `count_wrong_vectors` counts."""
        self._execute(f"DELETE FROM vectors WHERE n IN ({_SELECT_WRONG_VECTORS})", size)

    def count_unembedded_chunks(self) -> int:
        """Count chunks without a vector."""
        sql = "SELECT count(*) FROM chunks WHERE NOT EXISTS (SELECT 1 FROM vectors WHERE vectors.n = chunks.n)"
        return int(self._fetch_value(sql))

    def list_unreadable_runs(self, most: int = NO_LIMIT) -> Sequence[str]:
        """List runs whose document is not a JSON object."""
        return self._fetch_column(f"SELECT run FROM runs WHERE {_IS_UNREADABLE} ORDER BY n LIMIT $1", _to_limit(most))

    def list_unreadable_steps(self, most: int = NO_LIMIT) -> Sequence[tuple[str, int]]:
        """List run and number of steps whose document is not a JSON object."""
        sql = f"SELECT run, seq FROM steps WHERE {_IS_UNREADABLE} ORDER BY run, seq LIMIT $1"
        return self._fetch_rows(sql, _to_limit(most))

    def iter_runs(self) -> Iterator[RunHead]:
        """Yield the runs whose document is a JSON object."""
        columns = "run, workflow, created_at, updated_at, document"
        sql = f"SELECT {columns} FROM runs WHERE NOT ({_IS_UNREADABLE}) ORDER BY n"
        return map(RunHead._make, self._iter_rows(sql))

    def iter_steps(self) -> Iterator[tuple[str, int, str]]:
        """Yield run, number and document of the steps whose document is a JSON object."""
        sql = f"SELECT run, seq, document FROM steps WHERE NOT ({_IS_UNREADABLE}) ORDER BY run, seq"
        return self._iter_rows(sql)

    def list_headless_runs(self, most: int = NO_LIMIT) -> Sequence[tuple[str, int]]:
        """List missing runs that have steps, and the number of their steps."""
        return self._fetch_rows(_SELECT_HEADLESS, _to_limit(most))

    def list_run_gaps(self, most: int = NO_LIMIT) -> Sequence[tuple[str, int, int]]:
        """List runs with missing steps: number of steps, and last step number."""
        return self._fetch_rows(_SELECT_RUN_GAPS, _to_limit(most))

    def get_step_numbers(self, run: str) -> set[int]:
        """Return the step numbers of a run."""
        return set(self._fetch_column("SELECT seq FROM steps WHERE run = $1", run))

    def remove_step(self, run: str, seq: int) -> None:
        """Remove one step of a run."""
        self._execute("DELETE FROM steps WHERE run = $1 AND seq = $2", run, seq)

    def truncate_run(self, run: str, last: int) -> None:
        """Remove the steps of a run outside of 1 to `last`."""
        sql = "DELETE FROM steps WHERE run = $1 AND NOT seq BETWEEN 1 AND $2"
        self._execute(sql, run, last)

    def iter_dangling(self) -> Iterator[tuple[str, int]]:
        """Yield the kind and number of rows of the code graph without an end."""
        for what, where in _DANGLING_ROWS:
            if count := self._fetch_value(f"SELECT count(*) FROM {where}"):
                yield what, int(count)


def _to_limit(most: int) -> int | None:
    return None if most == NO_LIMIT else most
