"""Table of records: creation times and the undo log."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

from aurora.memory.model.chunks import Chunk
from aurora.memory.model.json_columns import decode_json
from aurora.memory.model.runs import UndoEntry
from aurora.memory.sqlite.errors import CorruptRowError
from aurora.memory.sqlite.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from aurora.memory.model.chunks import ChunkNames, ChunkProvenance, ChunkRow

COLUMNS = "id, type, path, start_line, end_line, symbol, kind, language, text, metadata"
"""Columns that `to_chunk` reads, in this order."""


_SELECT_RECORDS = f"""
SELECT {COLUMNS}, (SELECT at FROM remembered WHERE remembered.id = chunks.id)
FROM chunks WHERE path IS NULL
"""

_SELECT_QUESTIONS = """
SELECT id, metadata ->> '$.query' FROM chunks
WHERE path IS NULL AND type = 'reas' AND json_type(metadata, '$.query') = 'text' ORDER BY id
"""

_INSERT_TIME = "INSERT OR REPLACE INTO remembered (id, at) VALUES (?, ?)"

_INSERT_NEW_TIME = "INSERT OR IGNORE INTO remembered (id, at) VALUES (?, ?)"

_INSERT_UNDO = "INSERT INTO undo (at, action, summary, document) VALUES (?, ?, ?, ?)"

_ID_IN = "AND id IN (SELECT value FROM json_each(?))"

_SELECT_UNDO = "SELECT n, at, action, summary, document FROM undo"


class RecordTable(Table):
    """Records: chunks that no file contains."""

    def list_records(self, ids: Iterable[str] | None = None) -> Sequence[tuple[Chunk, float | None]]:
        """List records with their creation time, all or by id, sorted by id."""
        condition, bindings = ("", ()) if ids is None else (_ID_IN, (json.dumps(list(ids)),))
        rows = self._fetch_rows(f"{_SELECT_RECORDS} {condition} ORDER BY id", *bindings)
        return [(to_chunk(row[:-1]), row[-1]) for row in rows]

    def list_questions(self) -> Sequence[tuple[str, str]]:
        """List the patterns that answer a question: their ids and the questions."""
        return self._fetch_rows(_SELECT_QUESTIONS)

    def mark_remembered(self, id_: str) -> None:
        """Set the creation time of a record to now, unless it is known."""
        self._db.execute(_INSERT_NEW_TIME, (id_, time.time()))
        self._bump_version()

    def set_remembered_times(self, moments: Iterable[tuple[str, float]]) -> None:
        """Set the creation times of records in seconds since 1970."""
        self._db.executemany(_INSERT_TIME, moments)
        self._bump_version()

    def remove(self, ids: Iterable[str]) -> None:
        """Remove the creation times of records."""
        self._db.executemany("DELETE FROM remembered WHERE id = ?", ((id_,) for id_ in ids))
        self._bump_version()

    def get_shared(self) -> dict[str, bytes]:
        """Return the digests of the records as the view and the shared database last had them, by id."""
        return dict(self._fetch_rows("SELECT id, digest FROM shared_records"))

    def set_shared(self, digests: Iterable[tuple[str, bytes]], gone: Iterable[str]) -> None:
        """Set the digests of records that both databases have now, and remove those of `gone`."""
        self._db.executemany("INSERT OR REPLACE INTO shared_records (id, digest) VALUES (?, ?)", digests)
        self._db.executemany("DELETE FROM shared_records WHERE id = ?", ((id_,) for id_ in gone))

    def _bump_version(self) -> None:
        """Count a change of records, so that other worktrees read them."""
        self._db.execute(BUMP_RECORDS)

    def add_undo_entry(self, at: str, action: str, summary: str, document: str) -> None:
        """Append an entry to the undo log."""
        self._db.execute(_INSERT_UNDO, (at, action, summary, document))

    def trim_undo_entries(self, most: int) -> None:
        """Remove all but the last `most` entries of the undo log."""
        self._db.execute("DELETE FROM undo WHERE n NOT IN (SELECT n FROM undo ORDER BY n DESC LIMIT ?)", (most,))

    def get_last_undo_entry(self) -> UndoEntry | None:
        """Return the last entry of the undo log, or None."""
        rows = self._fetch_rows(f"{_SELECT_UNDO} ORDER BY n DESC LIMIT 1")
        return next(map(UndoEntry._make, rows), None)

    def list_undo_entries(self) -> Sequence[UndoEntry]:
        """List the entries of the undo log, the oldest first."""
        return list(map(UndoEntry._make, self._fetch_rows(f"{_SELECT_UNDO} ORDER BY n")))

    def clear_undo_entries(self) -> None:
        """Remove the whole undo log."""
        self._db.execute("DELETE FROM undo")

    def pop_undo_entry(self, n: int) -> bool:
        """Remove the last undo entry if it has this number; return success."""
        self._db.execute("DELETE FROM undo WHERE n = (SELECT max(n) FROM undo) AND n = ?", (n,))
        return bool(self._db.changes())


BUMP_RECORDS = """
INSERT INTO facts (key, value) VALUES ('records_version', '1')
    ON CONFLICT (key) DO UPDATE SET value = CAST(value AS INTEGER) + 1
"""


_INSERT = f"""
INSERT INTO chunks (n, {COLUMNS}, name) VALUES ({", ".join("?" * 12)}) ON CONFLICT (id) DO NOTHING
"""

_UPDATE_METADATA = "UPDATE chunks SET metadata = ?2 WHERE id = ?1"

_SELECT_EMBEDDED = f"""
SELECT {", ".join(f"c.{column}" for column in COLUMNS.split(", "))}, v.body FROM chunks c JOIN vectors v USING (n)
WHERE %s IN (SELECT value FROM json_each(?)) AND length(v.body) = ? ORDER BY c.n DESC LIMIT ?
"""

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
    """Convert a row of `COLUMNS` to a chunk.

    Raises:
        CorruptRowError: its metadata is invalid.
    """
    id_, type_, path, start_line, end_line, symbol, kind, language, text, metadata = row
    try:
        document = decode_json(metadata)
    except (ValueError, RecursionError) as error:
        raise CorruptRowError(f'the metadata of chunk "{id_}" is not a JSON object') from error
    if not isinstance(document, dict):
        raise CorruptRowError(f'the metadata of chunk "{id_}" is not a JSON object')
    return Chunk(id_, type_, path, start_line, end_line, symbol, kind, language, text, document)


class ChunkTable(Table):
    """Chunks with a stable id and a number that is never reused."""

    def get(self, ids: Sequence[str]) -> tuple[Chunk, ...]:
        """Return the chunks in the order of `ids`; leave missing ids out."""
        sql = f"SELECT {COLUMNS} FROM chunks WHERE id IN (SELECT value FROM json_each(?))"
        found = {row[0]: to_chunk(row) for row in self._fetch_rows(sql, json.dumps(list(ids)))}
        return tuple(found[id_] for id_ in ids if id_ in found)

    def get_by_number(self, numbers: Sequence[int]) -> dict[int, Chunk]:
        """Return the existing chunks by number."""
        sql = f"SELECT n, {COLUMNS} FROM chunks WHERE n IN (SELECT value FROM json_each(?))"
        return {n: to_chunk(row) for n, *row in self._fetch_rows(sql, json.dumps(numbers))}

    def find_missing_ids(self, ids: Sequence[str]) -> list[str]:
        """List the ids that do not exist, in the order given."""
        sql = "SELECT value FROM json_each(?) WHERE value NOT IN (SELECT id FROM chunks) ORDER BY key"
        return self._fetch_column(sql, json.dumps(list(ids)))

    def iter_all(self) -> Iterator[tuple[int, Chunk]]:
        """Yield number and chunk of all chunks, by number."""
        return self._iter_rows("")

    def iter_records(self) -> Iterator[tuple[int, Chunk]]:
        """Yield number and chunk of all records, by number."""
        return self._iter_rows("WHERE path IS NULL")

    def _iter_rows(self, where: str) -> Iterator[tuple[int, Chunk]]:
        for n, *row in self._db.execute(f"SELECT n, {COLUMNS} FROM chunks {where} ORDER BY n"):
            yield n, to_chunk(row)

    def iter_names(self, numbers: Sequence[int]) -> Iterator[ChunkNames]:
        """Yield the names that these chunks define."""
        for n, symbol, kind, defines in self._fetch_rows(_SELECT_NAMES, json.dumps(numbers)):
            yield n, symbol, kind, json.loads(defines) if defines else ()

    def find_by_name(self, names: Sequence[str], most: int) -> list[int]:
        """List chunks by their own name, folded and without qualifiers."""
        return self._fetch_column(_SELECT_BY_NAME, json.dumps(names), most)

    def find_text_definitions(self, names: Sequence[tuple[str, str]], most: int) -> list[int]:
        """List text chunks that spell out a name of the graph on its line.

        Args:
            names: each name in the graph, and its spelling in the text.
            most: the limit.
        """
        rows = self._fetch_rows(_SELECT_TEXT_DEFINITIONS, json.dumps(names), most)
        found: list[int] = []
        for n, spelling, text, at in rows:
            lines = text.split("\n")
            if at < len(lines) and spelling in lines[at]:
                found.append(n)
        return found

    def find_at_lines(self, places: Sequence[tuple[str, int]], most: int) -> list[int]:
        """List the chunks that contain one of these lines of files."""
        return self._fetch_column(_SELECT_AT_LINES, json.dumps(places), most)

    def find_with_phrases(
        self, phrases: Iterable[str], kinds: Iterable[str] | None = None, among: Sequence[int] | None = None
    ) -> list[int]:
        """List the chunks that contain every phrase in symbol, path or text.

        Args:
            phrases: in lower case.
            kinds: only chunks of these kinds.
            among: only these chunk numbers.
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
        return self._fetch_column(f"SELECT n FROM chunks {where} ORDER BY n", *bindings)

    def iter_embedded(
        self, size: int, most: int, *, ids: Sequence[str] = (), types: Sequence[str] = ()
    ) -> Iterator[tuple[Chunk, bytes]]:
        """Yield the newest chunks with a vector of `size` bytes, newest first.

        Args:
            size: the size of the vectors in bytes.
            most: the limit.
            ids: only these ids, of any type.
            types: only these types, if there are no ids.
        """
        sql = _SELECT_EMBEDDED % ("c.id" if ids else "c.type")
        for *row, body in self._fetch_rows(sql, json.dumps(list(ids or types)), size, most):
            yield to_chunk(row), body

    def iter_provenance(self) -> Iterator[ChunkProvenance]:
        """Yield every chunk with the time its file was last written."""
        yield from self._db.execute(_SELECT_PROVENANCE)

    def find_merged(self, ids: Sequence[str]) -> dict[str, str]:
        """Map merged ids to the id of the record that absorbed them."""
        return dict(self._fetch_rows(_SELECT_MERGED, json.dumps(list(ids))))

    def get_next_number(self) -> int:
        """Return the number of the next chunk; numbers are never reused."""
        return int(self._fetch_value("SELECT coalesce(max(seq), 0) + 1 FROM sqlite_sequence WHERE name = 'chunks'"))

    def get_last_number(self) -> int:
        """Return the highest existing number; 0 if there is none."""
        return int(self._fetch_value("SELECT coalesce(max(n), 0) FROM chunks"))

    def find_existing_numbers(self, first: int, last: int) -> set[int]:
        """Return the numbers from `first` to `last` that have a chunk."""
        return set(self._fetch_column("SELECT n FROM chunks WHERE n BETWEEN ? AND ?", first, last))

    def get_paths(self, numbers: Sequence[int]) -> dict[int, str]:
        """Return the paths of existing chunks by number; a record's id."""
        sql = "SELECT n, coalesce(path, id) FROM chunks WHERE n IN (SELECT value FROM json_each(?))"
        return dict(self._fetch_rows(sql, json.dumps(numbers)))

    def count(self) -> int:
        """Count the chunks."""
        return int(self._fetch_value("SELECT count(*) FROM chunks"))

    def list_kinds(self) -> list[str]:
        """List the distinct kinds."""
        return self._fetch_column("SELECT DISTINCT kind FROM chunks")

    def insert(self, first: int, rows: Iterable[ChunkRow]) -> None:
        """Insert chunks numbered from `first`; skip existing ids.

        Args:
            first: a number above all that were ever used.
            rows: the rows that `row_of` creates.
        """
        self._db.executemany(_INSERT, ((n, *row) for n, row in enumerate(rows, first)))

    def insert_one(self, row: ChunkRow) -> int:
        """Insert one chunk and return its number."""
        self._db.execute(_INSERT, (None, *row))
        return self._db.last_insert_rowid()

    def remove(self, ids: Iterable[str]) -> None:
        """Remove chunks with their postings and vectors."""
        self._db.executemany("DELETE FROM chunks WHERE id = ?", ((id_,) for id_ in ids))

    def iter_file_chunks(self) -> Iterator[Chunk]:
        """Yield every chunk of a file, by path and line."""
        sql = f"SELECT {COLUMNS} FROM chunks WHERE path IS NOT NULL ORDER BY path, start_line, id"
        return map(to_chunk, self._db.execute(sql))

    def update_metadata(self, metadata: Iterable[tuple[str, str]]) -> None:
        """Replace the metadata of chunks: id and JSON text."""
        self._db.executemany(_UPDATE_METADATA, metadata)
        self._db.execute(BUMP_RECORDS)

    def list_by_file(self, path: str) -> Sequence[Chunk]:
        """List the chunks of a file by number; none if a row is damaged."""
        rows = self._fetch_rows(f"SELECT {COLUMNS} FROM chunks WHERE path = ? ORDER BY n", path)
        try:
            return list(map(to_chunk, rows))
        except CorruptRowError:
            return []

    def get_line_range(self, id_: str) -> tuple[str, int, int] | None:
        """Return path, first and last line; None for a record or unknown id."""
        sql = "SELECT path, start_line, end_line FROM chunks WHERE id = ? AND path IS NOT NULL"
        return next(iter(self._fetch_rows(sql, id_)), None)

    def find_at_line(self, path: str, line: int) -> str | None:
        """Return the id of the innermost chunk at a line; None if there is none."""
        sql = "SELECT id FROM chunks WHERE path = ? AND start_line <= ? AND end_line >= ?"
        return next(iter(self._fetch_column(f"{sql} ORDER BY start_line DESC LIMIT 1", path, line, line)), None)

    def get_text_at(self, path: str, line: int) -> tuple[str, int] | None:
        """Return text and first line of a chunk at a line; None if there is none."""
        sql = "SELECT text, start_line FROM chunks WHERE path = ? AND start_line <= ? AND end_line >= ? LIMIT 1"
        return next(iter(self._fetch_rows(sql, path, line, line)), None)
