"""Queries over whole tables: what they hold, and which of their rows are damaged."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from aurora.memory.model.runs import RowCounts, RunHead, UsageCounts

from .chunks import decode_metadata
from .session import Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

PART_TABLES: Mapping[str, tuple[str, ...]] = {
    "text": ("chunks", "contents", "files"),
    "words": ("docs", "postings", "segments"),
    "vectors": ("vectors",),
    "graph": ("edges", "graph_gone", "graph_packed", "graph_pending", "nodes", "refs"),
    "journal": ("runs", "steps"),
}
"""Part -> its tables, with their indexes; everything else is `other`."""

_COUNT_ROWS = """
SELECT (SELECT count(*) FROM files), (SELECT count(*) FROM vectors), (SELECT count(*) FROM runs),
    (SELECT count(*) FROM nodes)
"""
_COUNT_BY_LANGUAGE = "SELECT language, count(*) FROM chunks WHERE language != '' GROUP BY language ORDER BY 2 DESC, 1"
# Nearly all files are UTF-8, so the database looks for the key and only what has it is decoded.
_SELECT_ENCODED = """
SELECT path, min(metadata) FROM chunks WHERE path IS NOT NULL AND instr(metadata, '"encoding"') > 0 GROUP BY path
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
        found = (
            decode_metadata(path, metadata).get("encoding") for path, metadata in self._fetch_rows(_SELECT_ENCODED)
        )
        counts = Counter(encoding for encoding in found if isinstance(encoding, str))
        return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))

    def measure_parts(self) -> dict[str, int]:
        """Measure the bytes of each of `PART_TABLES`, of `other` and of `free` pages; a server's of the rows."""
        by_table = dict(self._db.measure_tables())
        free = by_table.pop("free")
        sizes = {part: sum(by_table.pop(table, 0) for table in tables) for part, tables in PART_TABLES.items()}
        return sizes | {"other": sum(by_table.values()), "free": free}


_IS_ORPHAN = "path IS NOT NULL AND path NOT IN (SELECT path FROM files)"
_IS_GARBLED = "NOT IS_JSON_OBJECT(metadata)"
_IS_UNREADABLE = "NOT IS_JSON_OBJECT(document)"
_SELECT_WRONG_VECTORS = """
SELECT vectors.n FROM vectors LEFT JOIN chunks USING (n)
WHERE chunks.n IS NULL OR chunks.type != vectors.type OR length(body) NOT IN (0, ?1)
"""
_DANGLING_ROWS: tuple[tuple[str, str], ...] = (
    ("links", "edges WHERE ref NOT IN (SELECT n FROM refs) OR target NOT IN (SELECT n FROM nodes)"),
    ("links", "edges WHERE NOT EXISTS (SELECT 1 FROM refs WHERE refs.n = edges.ref AND refs.source = edges.source)"),
    ("references", "refs WHERE source NOT IN (SELECT n FROM nodes)"),
    (
        # The nodes of a removed file stay until the next linking, and `graph_gone` names it until then.
        "definitions",
        "nodes WHERE path NOT IN (SELECT path FROM files) AND path NOT IN (SELECT path FROM graph_gone)",
    ),
    ("definitions", "nodes WHERE parent IS NOT NULL AND parent NOT IN (SELECT n FROM nodes AS enclosing)"),
)
# A run is replayed step by step, so one that lacks a step cannot continue.
_SELECT_RUN_GAPS = """
SELECT run, count(*), max(seq) FROM steps GROUP BY run HAVING count(*) != max(seq) OR min(seq) != 1
ORDER BY run LIMIT ?1
"""
_SELECT_HEADLESS = """
SELECT run, count(*) FROM steps WHERE run NOT IN (SELECT run FROM runs) GROUP BY run ORDER BY run LIMIT ?1
"""
_REMOVE_ORPHANS = f"DELETE FROM chunks WHERE {_IS_ORPHAN}"
_RESET_METADATA = f"UPDATE chunks SET metadata = '{{}}' WHERE {_IS_GARBLED}"
_NO_LIMIT = 2**62


class DamageQueries(Table):
    """Queries over whole tables for a check; `most` limits the results."""

    def list_orphan_chunks(self, most: int = _NO_LIMIT) -> Sequence[tuple[str, str]]:
        """List id and path of chunks whose file is not listed."""
        return self._fetch_rows(f"SELECT id, path FROM chunks WHERE {_IS_ORPHAN} LIMIT ?1", most)

    def list_garbled_chunks(self, most: int = _NO_LIMIT) -> Sequence[str]:
        """List the ids of chunks whose metadata is not a JSON object."""
        return self._fetch_column(f"SELECT id FROM chunks WHERE {_IS_GARBLED} ORDER BY n LIMIT ?1", most)

    def remove_orphan_chunks(self) -> None:
        """Remove the chunks whose file is not listed."""
        self._execute(_REMOVE_ORPHANS)

    def reset_garbled_metadata(self) -> Sequence[str]:
        """Empty garbled metadata; return the ids of the affected records."""
        # Indexing writes the metadata of a file's chunks again; those of records are lost.
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

    def list_unreadable_runs(self, most: int = _NO_LIMIT) -> Sequence[str]:
        """List runs whose document is not a JSON object."""
        return self._fetch_column(f"SELECT run FROM runs WHERE {_IS_UNREADABLE} ORDER BY n LIMIT ?1", most)

    def list_unreadable_steps(self, most: int = _NO_LIMIT) -> Sequence[tuple[str, int]]:
        """List run and number of steps whose document is not a JSON object."""
        sql = f"SELECT run, seq FROM steps WHERE {_IS_UNREADABLE} ORDER BY run, seq LIMIT ?1"
        return self._fetch_rows(sql, most)

    def iter_runs(self) -> Iterator[RunHead]:
        """Yield the runs whose document is a JSON object."""
        columns = "run, workflow, created_at, updated_at, document"
        sql = f"SELECT {columns} FROM runs WHERE IS_JSON_OBJECT(document) ORDER BY n"
        return map(RunHead._make, self._iter_rows(sql))

    def iter_steps(self) -> Iterator[tuple[str, int, str]]:
        """Yield run, number and document of the steps whose document is a JSON object."""
        for run, seq, document in self._iter_rows(
            "SELECT run, seq, document FROM steps WHERE IS_JSON_OBJECT(document)"
        ):
            yield str(run), int(str(seq)), str(document)

    def list_headless_runs(self, most: int = _NO_LIMIT) -> Sequence[tuple[str, int]]:
        """List missing runs that have steps, and the number of their steps."""
        return self._fetch_rows(_SELECT_HEADLESS, most)

    def list_run_gaps(self, most: int = _NO_LIMIT) -> Sequence[tuple[str, int, int]]:
        """List runs with missing steps: number of steps, and last step number."""
        return self._fetch_rows(_SELECT_RUN_GAPS, most)

    def get_step_numbers(self, run: str) -> set[int]:
        """Return the step numbers of a run."""
        return set(self._fetch_column("SELECT seq FROM steps WHERE run = ?1", run))

    def remove_step(self, run: str, seq: int) -> None:
        """Remove one step of a run."""
        self._execute("DELETE FROM steps WHERE run = ?1 AND seq = ?2", run, seq)

    def truncate_run(self, run: str, last: int) -> None:
        """Remove the steps of a run outside of 1 to `last`."""
        sql = "DELETE FROM steps WHERE run = ?1 AND NOT seq BETWEEN 1 AND ?2"
        self._execute(sql, run, last)

    def iter_dangling(self) -> Iterator[tuple[str, int]]:
        """Yield the kind and number of rows of the code graph without an end."""
        for what, where in _DANGLING_ROWS:
            if count := self._fetch_value(f"SELECT count(*) FROM {where}"):
                yield what, int(count)
