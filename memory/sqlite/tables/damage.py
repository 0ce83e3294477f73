"""What is wrong with chunks, vectors and runs, where SQLite finds the file whole; and how it is put right."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from aurora.memory.sqlite.table import Part

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


class Misnamed(NamedTuple):
    """A record whose id is none of its type, with what its id should follow from."""

    n: int
    type: str
    kind: str
    symbol: str
    text: str


_STRAY = "path IS NOT NULL AND path NOT IN (SELECT path FROM files)"
_MISNAMED = "NOT id GLOB type || ':?*'"
_GARBLED = "(NOT json_valid(metadata) OR metadata NOT GLOB '{*')"
_UNREADABLE = "(NOT json_valid(document) OR document NOT GLOB '{*')"
_READ_AGAIN = "UPDATE files SET sha256 = '', mtime_ns = -1"
_WRONG_VECTORS = """
SELECT vectors.n FROM vectors LEFT JOIN chunks USING (n)
WHERE chunks.n IS NULL OR chunks.type != vectors.type OR length(body) NOT IN (0, ?)
"""
_LOOSE: tuple[tuple[str, str], ...] = (
    ("links", "edges WHERE ref NOT IN (SELECT n FROM refs) OR target NOT IN (SELECT n FROM nodes)"),
    ("links", "edges WHERE NOT EXISTS (SELECT 1 FROM refs WHERE refs.n = edges.ref AND refs.source = edges.source)"),
    ("references", "refs WHERE source NOT IN (SELECT n FROM nodes)"),
    (
        "definitions",
        "nodes WHERE path NOT IN (SELECT path FROM files) AND path NOT IN (SELECT path FROM graph_gone)",
    ),
    ("definitions", "nodes WHERE parent IS NOT NULL AND parent NOT IN (SELECT n FROM nodes)"),
)
_GAPS = """
SELECT run, count(*), max(seq) FROM steps GROUP BY run HAVING count(*) != max(seq) OR min(seq) != 1
"""
EVERY = -1
"""As many as there are."""


class Damage(Part):
    """Questions that go through whole tables, for a check; what answers them takes `most`, how many are told."""

    def strays(self, most: int = EVERY) -> Sequence[tuple[str, str]]:
        """Chunks of files that are not listed: id and path."""
        return self._all(f"SELECT id, path FROM chunks WHERE {_STRAY} LIMIT ?", most)  # noqa: S608 - a constant

    def misnamed(self, most: int = EVERY) -> Sequence[str]:
        """Chunks whose id is none of their type."""
        return self._column(f"SELECT id FROM chunks WHERE {_MISNAMED} LIMIT ?", most)  # noqa: S608 - a constant

    def garbled(self, most: int = EVERY) -> Sequence[str]:
        """Chunks whose metadata is no JSON object, by id."""
        return self._column(f"SELECT id FROM chunks WHERE {_GARBLED} LIMIT ?", most)  # noqa: S608 - a constant

    def remove_strays(self) -> None:
        """Take out the chunks of files that are not listed."""
        self._db.execute(f"DELETE FROM chunks WHERE {_STRAY}")  # noqa: S608 - a constant

    def read_all_again(self) -> None:
        """Let the next indexing take every file for a changed one: it makes what follows from it anew."""
        self._db.execute(_READ_AGAIN)

    def read_wrong_again(self) -> None:
        """Let the next indexing take for changed the files with a chunk that has a wrong id or garbled metadata."""
        wrong = f"SELECT path FROM chunks WHERE {_GARBLED} OR {_MISNAMED}"  # noqa: S608 - a constant
        self._db.execute(f"{_READ_AGAIN} WHERE path IN ({wrong})")

    def clear_garbled(self) -> Sequence[str]:
        """Give chunks with garbled metadata an empty one; the ids of the records among them."""
        lost = self._column(f"SELECT id FROM chunks WHERE path IS NULL AND {_GARBLED}")  # noqa: S608 - a constant
        self._db.execute(f"UPDATE chunks SET metadata = '{{}}' WHERE {_GARBLED}")  # noqa: S608 - a constant
        return lost

    def misnamed_records(self) -> Sequence[Misnamed]:
        """The records whose id is none of their type."""
        sql = f"SELECT n, type, kind, symbol, text FROM chunks WHERE path IS NULL AND {_MISNAMED}"  # noqa: S608 - a constant
        return [Misnamed(*row) for row in self._all(sql)]

    def rename(self, n: int, id_: str) -> None:
        """Give a chunk another id; one that has it already gives way."""
        self._db.execute("UPDATE OR REPLACE chunks SET id = ? WHERE n = ?", (id_, n))

    def wrong_vectors(self, size: int) -> int:
        """How many vectors are of no chunk, of another type than theirs, or neither empty nor of `size` bytes."""
        return int(self._one(f"SELECT count(*) FROM ({_WRONG_VECTORS})", size))  # noqa: S608 - a constant

    def remove_wrong_vectors(self, size: int) -> None:
        """Take out the vectors that `wrong_vectors` counts."""
        self._db.execute(f"DELETE FROM vectors WHERE n IN ({_WRONG_VECTORS})", (size,))  # noqa: S608 - a constant

    def without_vector(self) -> int:
        """How many chunks have no vector."""
        sql = "SELECT count(*) FROM chunks WHERE NOT EXISTS (SELECT 1 FROM vectors WHERE vectors.n = chunks.n)"
        return int(self._one(sql))

    def unreadable_runs(self, most: int = EVERY) -> Sequence[str]:
        """Runs whose document is no JSON object."""
        return self._column(f"SELECT run FROM runs WHERE {_UNREADABLE} LIMIT ?", most)  # noqa: S608 - a constant

    def unreadable_steps(self, most: int = EVERY) -> Sequence[tuple[str, int]]:
        """Steps whose document is no JSON object: run and number."""
        return self._all(f"SELECT run, seq FROM steps WHERE {_UNREADABLE} LIMIT ?", most)  # noqa: S608 - a constant

    def headless(self, most: int = EVERY) -> Sequence[tuple[str, int]]:
        """Runs that are not there but have steps, and how many."""
        sql = "SELECT run, count(*) FROM steps WHERE run NOT IN (SELECT run FROM runs) GROUP BY run LIMIT ?"
        return self._all(sql, most)

    def gaps(self, most: int = EVERY) -> Sequence[tuple[str, int, int]]:
        """Runs whose steps do not count from 1 without a gap: how many there are, and the number of the last."""
        return self._all(f"{_GAPS} LIMIT ?", most)

    def numbers_of(self, run: str) -> set[int]:
        """The numbers of the steps of a run."""
        return set(self._column("SELECT seq FROM steps WHERE run = ?", run))

    def remove_step(self, run: str, seq: int) -> None:
        """Take out one step of a run."""
        self._db.execute("DELETE FROM steps WHERE run = ? AND seq = ?", (run, seq))

    def cut(self, run: str, last: int) -> None:
        """Take out the steps of a run that are not among those from 1 to `last`."""
        self._db.execute("DELETE FROM steps WHERE run = ? AND NOT seq BETWEEN 1 AND ?", (run, last))

    def loose(self) -> Iterator[tuple[str, int]]:
        """What of the code graph lacks an end, in one word, and how many; the same word may come again."""
        for what, where in _LOOSE:
            if count := self._one(f"SELECT count(*) FROM {where}"):  # noqa: S608 - a constant
                yield what, int(count)
