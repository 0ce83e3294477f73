"""Pieces of files, and records that no file holds."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ..documents import loaded
from ..model import Chunk
from .part import Part

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ..store_chunks import Row

COLUMNS = "id, type, path, start_line, end_line, symbol, kind, language, text, metadata"
"""What `chunk_of` reads, in this order."""

_INSERT = """
INSERT INTO chunks (n, id, type, path, start_line, end_line, symbol, kind, language, text, metadata, name)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING
"""
_LANGUAGES = "SELECT language, count(*) FROM chunks WHERE language != '' GROUP BY language ORDER BY 2 DESC, 1"
_HEIRS = """
SELECT taken.value, heir.id
FROM chunks AS heir, json_each(heir.metadata, '$.merged') AS taken
WHERE heir.path IS NULL AND taken.value IN (SELECT value FROM json_each(?1)) AND taken.value != heir.id
ORDER BY heir.id DESC
"""


def chunk_of(row: Sequence[Any]) -> Chunk:
    """The chunk in a row of `COLUMNS`."""
    id_, type_, path, start_line, end_line, symbol, kind, language, text, metadata = row
    return Chunk(id_, type_, path, start_line, end_line, symbol, kind, language, text, loaded(metadata))


class Chunks(Part):
    """Each has an id that stays as long as it is the same, and a number, which is never used twice."""

    def get(self, ids: Sequence[str]) -> tuple[Chunk, ...]:
        """These chunks, in the order asked; missing ids are left out, one asked twice comes twice."""
        sql = f"SELECT {COLUMNS} FROM chunks WHERE id IN (SELECT value FROM json_each(?))"  # noqa: S608 - a constant
        found = {row[0]: chunk_of(row) for row in self._all(sql, json.dumps(list(ids)))}
        return tuple(found[id_] for id_ in ids if id_ in found)

    def numbered(self, numbers: Sequence[int]) -> dict[int, Chunk]:
        """Those of these chunks that are there, by number."""
        sql = f"SELECT n, {COLUMNS} FROM chunks WHERE n IN (SELECT value FROM json_each(?))"  # noqa: S608 - a constant
        return {n: chunk_of(row) for n, *row in self._all(sql, json.dumps(numbers))}

    def missing(self, ids: Sequence[str]) -> list[str]:
        """Which of these ids do not exist, in the order given."""
        sql = "SELECT value FROM json_each(?) WHERE value NOT IN (SELECT id FROM chunks) ORDER BY key"
        return self._column(sql, json.dumps(list(ids)))

    def all(self) -> Iterator[tuple[int, Chunk]]:
        """Every chunk after its number, in the order of the numbers."""
        return self._numbered_rows("")

    def records(self) -> Iterator[tuple[int, Chunk]]:
        """Every chunk that no file holds, after its number, in the order of the numbers."""
        return self._numbered_rows("WHERE path IS NULL")

    def _numbered_rows(self, where: str) -> Iterator[tuple[int, Chunk]]:
        for n, *row in self._db.execute(f"SELECT n, {COLUMNS} FROM chunks {where} ORDER BY n"):  # noqa: S608 - constants
            yield n, chunk_of(row)  # type: ignore[misc] # the columns are strict

    def heirs(self, ids: Sequence[str]) -> dict[str, str]:
        """Of these ids, those that the metadata of a record calls `merged` into it, each with the record's id."""
        return dict(self._all(_HEIRS, json.dumps(list(ids))))

    def count(self) -> int:
        """How many there are."""
        return int(self._one("SELECT count(*) FROM chunks"))

    def by_type(self) -> dict[str, int]:
        """How many there are of each type."""
        return dict(self._all("SELECT type, count(*) FROM chunks GROUP BY type"))

    def by_language(self) -> dict[str, int]:
        """How many there are in each language, the most common first."""
        return dict(self._all(_LANGUAGES))

    def kinds(self) -> list[str]:
        """The kinds that they are of, each once."""
        return self._column("SELECT DISTINCT kind FROM chunks")

    def insert(self, first: int, rows: Iterable[Row]) -> None:
        """Write chunks, numbered from `first` on; one whose id is taken is left out, and its number stays free.

        Args:
            first: higher than any number that was ever used.
            rows: as `store_chunks.row_of` makes them.
        """
        self._db.executemany(_INSERT, ((n, *row) for n, row in enumerate(rows, first)))

    def add(self, row: Row) -> int:
        """Write one chunk whose id is not taken; the number that it gets, the next one."""
        self._db.execute(_INSERT, (None, *row))
        return self._db.last_insert_rowid()

    def remove(self, ids: Iterable[str]) -> None:
        """Take chunks out, with their words and vectors."""
        self._db.executemany("DELETE FROM chunks WHERE id = ?", ((id_,) for id_ in ids))
