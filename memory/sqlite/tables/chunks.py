"""Pieces of files, and records that no file holds."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from aurora.memory.model import Chunk, decode_json
from aurora.memory.sqlite.errors import CorruptRowError
from aurora.memory.sqlite.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from aurora.memory.model import ChunkRow

    # Plain tuples: to make a class for them costs every search more than to ask.
    ChunkNames = tuple[int, str, str, Sequence[str]]
    """The number of a chunk, its symbol and kind, and the names of what else is defined in it."""
    ChunkProvenance = tuple[str, str | None, str, int, int, float | None]
    """The id of a chunk, its path, symbol, first and last line, and when its file was last written, in seconds since
    1970; None without a file."""

COLUMNS = "id, type, path, start_line, end_line, symbol, kind, language, text, metadata"
"""What `chunk_of` reads, in this order."""

_INSERT = """
INSERT INTO chunks (n, id, type, path, start_line, end_line, symbol, kind, language, text, metadata, name)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING
"""
_SELECT_EMBEDDED = f"""
SELECT {", ".join(f"c.{column}" for column in COLUMNS.split(", "))}, v.body FROM chunks c JOIN vectors v USING (n)
WHERE %s IN (SELECT value FROM json_each(?)) AND length(v.body) = ? ORDER BY c.n DESC LIMIT ?
"""  # noqa: S608 - constants
_SELECT_PROVENANCE = """
SELECT c.id, c.path, c.symbol, c.start_line, c.end_line, f.mtime_ns / 1e9
FROM chunks c LEFT JOIN files f ON f.path = c.path
"""
_SELECT_NAMES = """
SELECT n, symbol, kind, metadata ->> '$.defines' FROM chunks WHERE n IN (SELECT value FROM json_each(?))
"""
_NUMBER_IN = "n IN (SELECT value FROM json_each(?))"
_KIND_IN = "kind IN (SELECT value FROM json_each(?))"
_CONTAINS_PHRASE = "instr(lower(symbol || char(10) || coalesce(path, '') || char(10) || text), ?)"
_SELECT_BY_NAME = "SELECT n FROM chunks WHERE name IN (SELECT value FROM json_each(?)) AND name != '' LIMIT ?"
_SELECT_TEXT_DEFINITIONS = """
SELECT chunks.n, asked.value ->> 1, chunks.text, nodes.start_line - chunks.start_line
FROM json_each(?) AS asked CROSS JOIN nodes CROSS JOIN chunks
WHERE nodes.name = asked.value ->> 0 AND nodes.symbol != ''
    AND chunks.path = nodes.path AND chunks.kind = 'text'
    AND nodes.start_line BETWEEN chunks.start_line AND chunks.end_line
LIMIT ?
"""
_SELECT_AT_LINES = """
SELECT DISTINCT chunks.n FROM json_each(?) AS asked CROSS JOIN chunks
WHERE chunks.path = asked.value ->> 0 AND asked.value ->> 1 BETWEEN chunks.start_line AND chunks.end_line LIMIT ?
"""
_SELECT_MERGED = """
SELECT taken.value, heir.id
FROM chunks AS heir, json_each(heir.metadata, '$.merged') AS taken
WHERE heir.path IS NULL AND taken.value IN (SELECT value FROM json_each(?1)) AND taken.value != heir.id
ORDER BY heir.id DESC
"""


def to_chunk(row: Sequence[Any]) -> Chunk:
    """The chunk in a row of `COLUMNS`.

    Raises:
        GarbledError: when its metadata cannot be read.
    """
    id_, type_, path, start_line, end_line, symbol, kind, language, text, metadata = row
    try:
        document = decode_json(metadata)
    except ValueError as error:
        raise CorruptRowError(f'the metadata of chunk "{id_}" is not JSON') from error
    if not isinstance(document, dict):
        raise CorruptRowError(f'the metadata of chunk "{id_}" is no JSON object')
    return Chunk(id_, type_, path, start_line, end_line, symbol, kind, language, text, document)


class ChunkTable(Table):
    """Each has an id that stays as long as it is the same, and a number, which is never used twice."""

    def get(self, ids: Sequence[str]) -> tuple[Chunk, ...]:
        """These chunks, in the order asked; missing ids are left out, one asked twice comes twice."""
        sql = f"SELECT {COLUMNS} FROM chunks WHERE id IN (SELECT value FROM json_each(?))"  # noqa: S608 - a constant
        found = {row[0]: to_chunk(row) for row in self._fetch_rows(sql, json.dumps(list(ids)))}
        return tuple(found[id_] for id_ in ids if id_ in found)

    def get_by_number(self, numbers: Sequence[int]) -> dict[int, Chunk]:
        """Those of these chunks that are there, by number."""
        sql = f"SELECT n, {COLUMNS} FROM chunks WHERE n IN (SELECT value FROM json_each(?))"  # noqa: S608 - a constant
        return {n: to_chunk(row) for n, *row in self._fetch_rows(sql, json.dumps(numbers))}

    def find_missing_ids(self, ids: Sequence[str]) -> list[str]:
        """Which of these ids do not exist, in the order given."""
        sql = "SELECT value FROM json_each(?) WHERE value NOT IN (SELECT id FROM chunks) ORDER BY key"
        return self._fetch_column(sql, json.dumps(list(ids)))

    def iter_all(self) -> Iterator[tuple[int, Chunk]]:
        """Every chunk after its number, in the order of the numbers."""
        return self._iter_rows("")

    def iter_records(self) -> Iterator[tuple[int, Chunk]]:
        """Every chunk that no file holds, after its number, in the order of the numbers."""
        return self._iter_rows("WHERE path IS NULL")

    def _iter_rows(self, where: str) -> Iterator[tuple[int, Chunk]]:
        for n, *row in self._db.execute(f"SELECT n, {COLUMNS} FROM chunks {where} ORDER BY n"):  # noqa: S608 - constants
            yield n, to_chunk(row)

    def iter_names(self, numbers: Sequence[int]) -> Iterator[ChunkNames]:
        """What these chunks define, those that are there."""
        for n, symbol, kind, defines in self._fetch_rows(_SELECT_NAMES, json.dumps(numbers)):
            yield n, symbol, kind, json.loads(defines) if defines else ()

    def find_by_name(self, names: Sequence[str], most: int) -> list[int]:
        """The numbers of the chunks, at most so many, whose own name is one of these, folded and without qualifiers."""
        return self._fetch_column(_SELECT_BY_NAME, json.dumps(names), most)

    def find_text_definitions(self, names: Sequence[tuple[str, str]], most: int) -> list[int]:
        """The numbers of those windows of plain text in which the graph has a name, on a line that spells it out.

        Args:
            names: each as the graph has it, and as it must be spelt.
            most: how many are looked at.
        """
        rows = self._fetch_rows(_SELECT_TEXT_DEFINITIONS, json.dumps(names), most)
        return [n for n, spelt, text, at in rows if any(spelt in line for line in text.split("\n")[at : at + 1])]

    def find_at_lines(self, places: Sequence[tuple[str, int]], most: int) -> list[int]:
        """The numbers of the chunks, at most so many, that hold one of these lines, each told with its file's path."""
        return self._fetch_column(_SELECT_AT_LINES, json.dumps(places), most)

    def find_with_phrases(
        self, phrases: Iterable[str], kinds: Iterable[str] | None = None, among: Sequence[int] | None = None
    ) -> list[int]:
        """The numbers of the chunks that hold every phrase in their symbol, path or text, rising.

        Args:
            phrases: in lower case.
            kinds: only chunks of these kinds.
            among: only these chunks, by number.
        """
        conditions: list[str] = []
        bindings: list[str] = []
        if among is not None:
            conditions.append(_NUMBER_IN)
            bindings.append(json.dumps(among))
        if kinds is not None:
            conditions.append(_KIND_IN)
            bindings.append(json.dumps(sorted(kinds)))
        for phrase in phrases:
            conditions.append(_CONTAINS_PHRASE)
            bindings.append(phrase)
        where = f"WHERE {' AND '.join(conditions)}" if conditions else ""
        return self._fetch_column(f"SELECT n FROM chunks {where} ORDER BY n", *bindings)  # noqa: S608 - constants

    def iter_embedded(
        self, size: int, most: int, *, ids: Sequence[str] = (), types: Sequence[str] = ()
    ) -> Iterator[tuple[Chunk, bytes]]:
        """Chunks that have a vector of `size` bytes, each with it: the newest `most`, newest first.

        Args:
            size: of the vectors.
            most: how many.
            ids: only these; of any type.
            types: only of these types, where there are no ids.
        """
        sql = _SELECT_EMBEDDED % ("c.id" if ids else "c.type")
        for *row, body in self._fetch_rows(sql, json.dumps(list(ids or types)), size, most):
            yield to_chunk(row), body

    def iter_provenance(self) -> Iterator[ChunkProvenance]:
        """Every chunk, with when its file was last written."""
        yield from self._db.execute(_SELECT_PROVENANCE)

    def find_merged(self, ids: Sequence[str]) -> dict[str, str]:
        """Of these ids, those that the metadata of a record calls `merged` into it, each with the record's id."""
        return dict(self._fetch_rows(_SELECT_MERGED, json.dumps(list(ids))))

    def get_next_number(self) -> int:
        """The number that the next chunk will have; none is used twice."""
        return int(self._fetch_value("SELECT coalesce(max(seq), 0) + 1 FROM sqlite_sequence WHERE name = 'chunks'"))

    def get_last_number(self) -> int:
        """The highest number of those that are there; 0 where there is none."""
        return int(self._fetch_value("SELECT coalesce(max(n), 0) FROM chunks"))

    def find_existing_numbers(self, first: int, last: int) -> set[int]:
        """Which of the numbers from `first` to `last` stand for a chunk."""
        return set(self._fetch_column("SELECT n FROM chunks WHERE n BETWEEN ? AND ?", first, last))

    def get_paths(self, numbers: Sequence[int]) -> dict[int, str]:
        """The paths of those of these chunks that are there, by number; of a record its id."""
        sql = "SELECT n, coalesce(path, id) FROM chunks WHERE n IN (SELECT value FROM json_each(?))"
        return dict(self._fetch_rows(sql, json.dumps(numbers)))

    def count(self) -> int:
        """How many there are."""
        return int(self._fetch_value("SELECT count(*) FROM chunks"))

    def list_kinds(self) -> list[str]:
        """The kinds that they are of, each once."""
        return self._fetch_column("SELECT DISTINCT kind FROM chunks")

    def insert(self, first: int, rows: Iterable[ChunkRow]) -> None:
        """Write chunks, numbered from `first` on; one whose id is taken is left out, and its number stays free.

        Args:
            first: higher than any number that was ever used.
            rows: as `store_record.row_of` makes them.
        """
        self._db.executemany(_INSERT, ((n, *row) for n, row in enumerate(rows, first)))

    def insert_one(self, row: ChunkRow) -> int:
        """Write one chunk whose id is not taken; the number that it gets, the next one."""
        self._db.execute(_INSERT, (None, *row))
        return self._db.last_insert_rowid()

    def remove(self, ids: Iterable[str]) -> None:
        """Take chunks out, with their words and vectors."""
        self._db.executemany("DELETE FROM chunks WHERE id = ?", ((id_,) for id_ in ids))

    def iter_file_chunks(self) -> Iterator[Chunk]:
        """Every chunk that a file holds, by path and line."""
        sql = f"SELECT {COLUMNS} FROM chunks WHERE path IS NOT NULL ORDER BY path, start_line, id"  # noqa: S608 - a constant
        return map(to_chunk, self._db.execute(sql))

    def update_metadata(self, metadata: Iterable[tuple[str, str]]) -> None:
        """Replace the metadata of chunks: id, and a JSON text."""
        self._db.executemany("UPDATE chunks SET metadata = ?2 WHERE id = ?1", metadata)

    def get_line_range(self, id_: str) -> tuple[str, int, int] | None:
        """The path of its file, and its first and last line there; None when it is not there, or in no file."""
        sql = "SELECT path, start_line, end_line FROM chunks WHERE id = ? AND path IS NOT NULL"
        return next(iter(self._fetch_rows(sql, id_)), None)

    def find_at_line(self, path: str, line: int) -> str | None:
        """The id of the one that holds a line of a file, the innermost; None when none does."""
        sql = "SELECT id FROM chunks WHERE path = ? AND start_line <= ? AND end_line >= ?"
        return next(iter(self._fetch_column(f"{sql} ORDER BY start_line DESC LIMIT 1", path, line, line)), None)

    def get_text_at(self, path: str, line: int) -> tuple[str, int] | None:
        """The text of one that holds a line of a file, and its first line; None when none does."""
        sql = "SELECT text, start_line FROM chunks WHERE path = ? AND start_line <= ? AND end_line >= ? LIMIT 1"
        return next(iter(self._fetch_rows(sql, path, line, line)), None)
