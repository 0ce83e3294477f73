"""Table of records: creation times and the undo log."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

from aurora.memory.model.chunks import Chunk
from aurora.memory.model.json_columns import decode_json
from aurora.memory.model.runs import UndoEntry
from aurora.memory.postgres.table import Table, decode_nul, encode_nul, shorten_key

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from aurora.memory.model.chunks import ChunkNames, ChunkProvenance, ChunkRow

COLUMNS = "id, type, path, start_line, end_line, symbol, kind, language, text, metadata"
"""Columns that `to_chunk` reads, in this order."""


_SELECT_RECORDS = f"""
SELECT {COLUMNS}, (SELECT at FROM remembered WHERE remembered.id = chunks.id)
FROM chunks WHERE path IS NULL AND ($1::text[] IS NULL OR id = ANY($1::text[])) ORDER BY id
"""

_SELECT_QUESTIONS = """
SELECT id, metadata FROM chunks
WHERE path IS NULL AND type = 'reas' AND strpos(metadata, '"query"') > 0 ORDER BY id
"""

_INSERT_TIMES = """
INSERT INTO remembered (id, at) SELECT * FROM unnest($1::text[], $2::float8[])
ON CONFLICT (id) DO UPDATE SET at = excluded.at
"""

_INSERT_NEW_TIME = "INSERT INTO remembered (id, at) VALUES ($1, $2) ON CONFLICT DO NOTHING"

_SET_SHARED = """
INSERT INTO shared_records (id, digest) SELECT * FROM unnest($1::text[], $2::bytea[])
ON CONFLICT (id) DO UPDATE SET digest = excluded.digest
"""

_INSERT_UNDO = """
INSERT INTO undo (n, at, action, summary, document) VALUES ($1, $2, $3, $4, $5)
"""

_SELECT_UNDO = "SELECT n, at, action, summary, document FROM undo"

_TRIM_UNDO = """
DELETE FROM undo WHERE n NOT IN (SELECT n FROM undo AS kept ORDER BY n DESC LIMIT $1)
"""

_POP_UNDO = """
DELETE FROM undo WHERE n = $1 AND n = (SELECT max(n) FROM undo AS kept)
"""


class RecordTable(Table):
    """Records: chunks that no file contains."""

    def list_records(self, ids: Iterable[str] | None = None) -> Sequence[tuple[Chunk, float | None]]:
        """List records with their creation time, all or by id, sorted by id."""
        rows = self._fetch_rows(_SELECT_RECORDS, None if ids is None else list(ids))
        return [(to_chunk(row[:-1]), row[-1]) for row in rows]

    def list_questions(self) -> Sequence[tuple[str, str]]:
        """List the patterns that answer a question: their ids and the questions."""
        found = ((id_, json.loads(metadata).get("query")) for id_, metadata in self._fetch_rows(_SELECT_QUESTIONS))
        return [(id_, question) for id_, question in found if isinstance(question, str)]

    def mark_remembered(self, id_: str) -> None:
        """Set the creation time of a record to now, unless it is known."""
        self._execute(_INSERT_NEW_TIME, id_, time.time())
        self._bump_version()

    def set_remembered_times(self, moments: Iterable[tuple[str, float]]) -> None:
        """Set the creation times of records in seconds since 1970."""
        self._write_rows(_INSERT_TIMES, dict(moments).items())
        self._bump_version()

    def remove(self, ids: Iterable[str]) -> None:
        """Remove the creation times of records."""
        self._execute("DELETE FROM remembered WHERE id = ANY($1::text[])", list(ids))
        self._bump_version()

    def get_shared(self) -> dict[str, bytes]:
        """Return the digests of the records as the view and the shared database last had them, by id."""
        return dict(self._fetch_rows("SELECT id, digest FROM shared_records"))

    def set_shared(self, digests: Iterable[tuple[str, bytes]], gone: Iterable[str]) -> None:
        """Set the digests of records that both databases have now, and remove those of `gone`."""
        self._write_rows(_SET_SHARED, dict(digests).items())
        sql = "DELETE FROM shared_records WHERE id = ANY($1::text[])"
        self._execute(sql, list(gone))

    def _bump_version(self) -> None:
        """Count a change of records, so that other worktrees read them."""
        self._execute(BUMP_RECORDS)

    def add_undo_entry(self, at: str, action: str, summary: str, document: str) -> None:
        """Append an entry to the undo log."""
        self._execute(_INSERT_UNDO, self._take_numbers("undo"), at, action, summary, document)

    def trim_undo_entries(self, most: int) -> None:
        """Remove all but the last `most` entries of the undo log."""
        self._execute(_TRIM_UNDO, most)

    def get_last_undo_entry(self) -> UndoEntry | None:
        """Return the last entry of the undo log, or None."""
        return next((UndoEntry(*row) for row in self._fetch_rows(f"{_SELECT_UNDO} ORDER BY n DESC LIMIT 1")), None)

    def list_undo_entries(self) -> Sequence[UndoEntry]:
        """List the entries of the undo log, the oldest first."""
        return [UndoEntry(*row) for row in self._fetch_rows(f"{_SELECT_UNDO} ORDER BY n")]

    def clear_undo_entries(self) -> None:
        """Remove the whole undo log."""
        self._execute("DELETE FROM undo")

    def pop_undo_entry(self, n: int) -> bool:
        """Remove the last undo entry if it has this number; return success."""
        return self._execute(_POP_UNDO, n) > 0


BUMP_RECORDS = """
INSERT INTO facts (key, value) VALUES ('records_version', '1')
ON CONFLICT (key) DO UPDATE SET value = (facts.value::bigint + 1)::text
"""


_INSERT = f"""
INSERT INTO chunks (n, {COLUMNS}, name) SELECT * FROM unnest(
    $1::bigint[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::bigint[], $7::text[], $8::text[], $9::text[],
    $10::text[], $11::text[], $12::text[]
) ON CONFLICT (id) DO NOTHING
"""

_RAISE_COUNTER = """
INSERT INTO counters (name, last) VALUES ('chunks', $1)
ON CONFLICT (name) DO UPDATE SET last = greatest(counters.last, excluded.last)
"""

_REMOVE = """
WITH removed AS (DELETE FROM chunks WHERE {condition} RETURNING n, path)
DELETE FROM docs WHERE first_n IN (SELECT n FROM removed WHERE path IS NULL)
"""
"""Removes chunks, and the documents of records among them."""

_UPDATE_METADATA = """
UPDATE chunks SET metadata = given.metadata FROM unnest($1::text[], $2::text[]) AS given (id, metadata)
WHERE chunks.id = given.id
"""

_SELECT_EMBEDDED = """
SELECT {columns}, vectors.body FROM chunks JOIN vectors USING (n)
WHERE chunks.{column} = ANY($1::text[]) AND length(vectors.body) = $2 ORDER BY n DESC LIMIT $3
"""

_SELECT_PROVENANCE = """
SELECT chunks.id, chunks.path, chunks.symbol, chunks.start_line, chunks.end_line, files.mtime_ns::float8 / 1e9
FROM chunks LEFT JOIN files ON files.path = chunks.path ORDER BY n
"""

_CONTAINS_PHRASE = "strpos(lower(symbol || chr(10) || coalesce(path, '') || chr(10) || text), ${}::text) > 0"

_SELECT_TEXT_DEFINITIONS = """
SELECT chunks.n, asked.spelling, chunks.text, nodes.start_line - chunks.start_line
FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS asked (name, spelling, place)
JOIN nodes ON nodes.name = asked.name AND nodes.symbol != ''
JOIN chunks ON chunks.path = nodes.path AND chunks.kind = 'text'
    AND nodes.start_line BETWEEN chunks.start_line AND chunks.end_line
ORDER BY asked.place, nodes.n, chunks.n LIMIT $3
"""

_SELECT_AT_LINES = """
SELECT n FROM (
    SELECT chunks.n, min(asked.place) AS place
    FROM unnest($1::text[], $2::bigint[]) WITH ORDINALITY AS asked (path, line, place)
    JOIN chunks ON chunks.path = asked.path AND asked.line BETWEEN chunks.start_line AND chunks.end_line
    GROUP BY chunks.n
) AS found ORDER BY place, n LIMIT $3
"""

_SELECT_ABSORBING = """
SELECT id, metadata FROM chunks WHERE path IS NULL AND strpos(metadata, '"merged"') > 0 ORDER BY id DESC
"""


def to_chunk(row: Sequence[Any]) -> Chunk:
    """Convert a row of `COLUMNS` to a chunk."""
    id_, type_, path, start_line, end_line, symbol, kind, language, text, metadata = row
    document = decode_json(metadata)
    return Chunk(id_, type_, path, start_line, end_line, decode_nul(symbol), kind, language, decode_nul(text), document)


def _encode_row(n: int, row: ChunkRow) -> tuple[object, ...]:
    *place, symbol, kind, language, text, metadata, name = row
    return (n, *place, encode_nul(symbol), kind, language, encode_nul(text), metadata, _encode_name(name))


def _encode_name(name: str) -> str:
    return shorten_key(encode_nul(name))


class ChunkTable(Table):
    """Chunks with a stable id and a number that is never reused."""

    def get(self, ids: Sequence[str]) -> tuple[Chunk, ...]:
        """Return the chunks in the order of `ids`; leave missing ids out."""
        rows = self._fetch_rows(f"SELECT {COLUMNS} FROM chunks WHERE id = ANY($1::text[])", list(ids))
        found = {row[0]: to_chunk(row) for row in rows}
        return tuple(found[id_] for id_ in ids if id_ in found)

    def get_by_number(self, numbers: Sequence[int]) -> dict[int, Chunk]:
        """Return the existing chunks by number."""
        rows = self._fetch_rows(f"SELECT n, {COLUMNS} FROM chunks WHERE n = ANY($1::bigint[])", list(numbers))
        return {n: to_chunk(row) for n, *row in rows}

    def find_missing_ids(self, ids: Sequence[str]) -> list[str]:
        """List the ids that do not exist, in the order given."""
        known = set(self._fetch_column("SELECT id FROM chunks WHERE id = ANY($1::text[])", list(ids)))
        return [id_ for id_ in ids if id_ not in known]

    def iter_all(self) -> Iterator[tuple[int, Chunk]]:
        """Yield number and chunk of all chunks, by number."""
        return self._iter_chunks("")

    def iter_records(self) -> Iterator[tuple[int, Chunk]]:
        """Yield number and chunk of all records, by number."""
        return self._iter_chunks("WHERE path IS NULL")

    def _iter_chunks(self, where: str) -> Iterator[tuple[int, Chunk]]:
        for n, *row in self._iter_rows(f"SELECT n, {COLUMNS} FROM chunks {where} ORDER BY n"):
            yield n, to_chunk(row)

    def iter_names(self, numbers: Sequence[int]) -> Iterator[ChunkNames]:
        """Yield the names that these chunks define."""
        sql = "SELECT n, symbol, kind, metadata FROM chunks WHERE n = ANY($1::bigint[]) ORDER BY n"
        for n, symbol, kind, metadata in self._fetch_rows(sql, list(numbers)):
            yield n, decode_nul(symbol), kind, decode_json(metadata).get("defines") or ()

    def find_by_name(self, names: Sequence[str], most: int) -> list[int]:
        """List chunks by their own name, folded and without qualifiers."""
        sql = "SELECT n FROM chunks WHERE name = ANY($1::text[]) AND name != '' ORDER BY name, n LIMIT $2"
        return self._fetch_column(sql, list(map(_encode_name, names)), most)

    def find_text_definitions(self, names: Sequence[tuple[str, str]], most: int) -> list[int]:
        """List text chunks that spell out a name of the graph on its line.

        Args:
            names: each name in the graph, and its spelling in the text.
            most: the limit.
        """
        columns = [name for name, _ in names], [spelling for _, spelling in names]
        found: list[int] = []
        for n, spelling, text, at in self._fetch_rows(_SELECT_TEXT_DEFINITIONS, *columns, most):
            lines = decode_nul(text).split("\n")
            if at < len(lines) and spelling in lines[at]:
                found.append(n)
        return found

    def find_at_lines(self, places: Sequence[tuple[str, int]], most: int) -> list[int]:
        """List the chunks that contain one of these lines of files."""
        return self._fetch_column(_SELECT_AT_LINES, [path for path, _ in places], [line for _, line in places], most)

    def find_with_phrases(
        self, phrases: Iterable[str], kinds: Iterable[str] | None = None, among: Sequence[int] | None = None
    ) -> list[int]:
        """List the chunks that contain every phrase in symbol, path or text.

        Args:
            phrases: in lower case.
            kinds: only chunks of these kinds.
            among: only these chunk numbers.
        """
        values: list[object] = []
        conditions: list[str] = ["true"]
        if among is not None:
            values.append(list(among))
            conditions.append(f"n = ANY(${len(values)}::bigint[])")
        if kinds is not None:
            values.append(list(kinds))
            conditions.append(f"kind = ANY(${len(values)}::text[])")
        for phrase in phrases:
            values.append(encode_nul(phrase))
            conditions.append(_CONTAINS_PHRASE.format(len(values)))
        return self._fetch_column(f"SELECT n FROM chunks WHERE {' AND '.join(conditions)} ORDER BY n", *values)

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
        columns = ", ".join(f"chunks.{column}" for column in COLUMNS.split(", "))
        sql = _SELECT_EMBEDDED.format(columns=columns, column="id" if ids else "type")
        for *row, body in self._fetch_rows(sql, list(ids or types), size, most):
            yield to_chunk(row), body

    def iter_provenance(self) -> Iterator[ChunkProvenance]:
        """Yield every chunk with the time its file was last written."""
        for id_, path, symbol, *rest in self._iter_rows(_SELECT_PROVENANCE):
            yield id_, path, decode_nul(symbol), *rest

    def find_merged(self, ids: Sequence[str]) -> dict[str, str]:
        """Map merged ids to the id of the record that absorbed them."""
        found: dict[str, str] = {}
        for heir, metadata in self._fetch_rows(_SELECT_ABSORBING) if ids else ():
            merged = json.loads(metadata).get("merged")
            found |= {id_: heir for id_ in (merged if isinstance(merged, list) else ()) if id_ in ids and id_ != heir}
        return found

    def get_next_number(self) -> int:
        """Return the number of the next chunk; numbers are never reused."""
        sql = "SELECT coalesce((SELECT last FROM counters WHERE name = 'chunks'), 0) + 1"
        return int(self._fetch_value(sql))

    def get_last_number(self) -> int:
        """Return the highest existing number; 0 if there is none."""
        return int(self._fetch_value("SELECT coalesce(max(n), 0) FROM chunks"))

    def find_existing_numbers(self, first: int, last: int) -> set[int]:
        """Return the numbers from `first` to `last` that have a chunk."""
        return set(self._fetch_column("SELECT n FROM chunks WHERE n BETWEEN $1 AND $2", first, last))

    def get_paths(self, numbers: Sequence[int]) -> dict[int, str]:
        """Return the paths of existing chunks by number; a record's id."""
        sql = "SELECT n, coalesce(path, id) FROM chunks WHERE n = ANY($1::bigint[])"
        return dict(self._fetch_rows(sql, list(numbers)))

    def count(self) -> int:
        """Count the chunks."""
        return int(self._fetch_value("SELECT count(*) FROM chunks"))

    def list_kinds(self) -> list[str]:
        """List the distinct kinds."""
        return self._fetch_column("SELECT DISTINCT kind FROM chunks ORDER BY kind")

    def insert(self, first: int, rows: Iterable[ChunkRow]) -> None:
        """Insert chunks numbered from `first`; skip existing ids.

        Args:
            first: a number above all that were ever used.
            rows: the rows that `row_of` creates.
        """
        numbered = [_encode_row(n, row) for n, row in enumerate(rows, first)]
        self._write_rows(_INSERT, numbered)
        self._execute(_RAISE_COUNTER, first + len(numbered) - 1)

    def insert_one(self, row: ChunkRow) -> int:
        """Insert one chunk and return its number."""
        n = self._take_numbers("chunks")
        self._write_rows(_INSERT, [_encode_row(n, row)])
        return n

    def remove(self, ids: Iterable[str]) -> None:
        """Remove chunks with their postings and vectors."""
        self._execute(_REMOVE.format(condition="id = ANY($1::text[])"), list(ids))

    def iter_file_chunks(self) -> Iterator[Chunk]:
        """Yield every chunk of a file, by path and line."""
        sql = f"SELECT {COLUMNS} FROM chunks WHERE path IS NOT NULL ORDER BY path, start_line, id"
        return map(to_chunk, self._iter_rows(sql))

    def update_metadata(self, metadata: Iterable[tuple[str, str]]) -> None:
        """Replace the metadata of chunks: id and JSON text."""
        self._write_rows(_UPDATE_METADATA, metadata)
        self._execute(BUMP_RECORDS)

    def list_by_file(self, path: str) -> Sequence[Chunk]:
        """List the chunks of a file by number; none if a row is damaged."""
        return list(map(to_chunk, self._fetch_rows(f"SELECT {COLUMNS} FROM chunks WHERE path = $1 ORDER BY n", path)))

    def get_line_range(self, id_: str) -> tuple[str, int, int] | None:
        """Return path, first and last line; None for a record or unknown id."""
        sql = "SELECT path, start_line, end_line FROM chunks WHERE id = $1 AND path IS NOT NULL"
        return next(iter(self._fetch_rows(sql, id_)), None)

    def find_at_line(self, path: str, line: int) -> str | None:
        """Return the id of the innermost chunk at a line; None if there is none."""
        sql = "SELECT id FROM chunks WHERE path = $1 AND start_line <= $2 AND end_line >= $2"
        return next(iter(self._fetch_column(f"{sql} ORDER BY start_line DESC, n LIMIT 1", path, line)), None)

    def get_text_at(self, path: str, line: int) -> tuple[str, int] | None:
        """Return text and first line of a chunk at a line; None if there is none."""
        sql = "SELECT text, start_line FROM chunks WHERE path = $1 AND start_line <= $2 AND end_line >= $2"
        rows = self._fetch_rows(f"{sql} ORDER BY n LIMIT 1", path, line)
        return next(((decode_nul(text), first) for text, first in rows), None)
