"""Tables of chunks, of records, which are chunks that no file contains, and of their uses."""

from __future__ import annotations

import time
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from aurora.memory.model.chunks import Chunk
from aurora.memory.model.json_columns import decode_json
from aurora.memory.model.runs import UndoEntry

from .files import INCREMENT_FACT
from .session import CorruptRowError, Table, shorten_key

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from aurora.memory.model.chunks import ChunkNames, ChunkProvenance, ChunkRow, ChunkUse

COLUMNS = "id, type, path, start_line, end_line, symbol, kind, language, text, metadata"
"""Columns that `to_chunk` reads, in this order."""

_ROW = f"n, {COLUMNS}, name"
_REMOVE_DOCUMENTS = """
DELETE FROM docs WHERE first_n IN (SELECT n FROM chunks WHERE path IS NULL AND id = ANY(?1))
"""
_UPDATE_METADATA = "UPDATE chunks SET metadata = ?2 WHERE id = ?1"

_SELECT_EMBEDDED = """
SELECT {columns}, vectors.body FROM chunks JOIN vectors ON vectors.n = chunks.n
WHERE chunks.{column} = ANY(?1) AND length(vectors.body) = ?2 ORDER BY chunks.n DESC LIMIT ?3
"""

_SELECT_PROVENANCE = """
SELECT chunks.id, chunks.path, chunks.symbol, chunks.start_line, chunks.end_line,
    CAST(files.mtime_ns AS DOUBLE PRECISION) / 1e9
FROM chunks LEFT JOIN files ON files.path = chunks.path ORDER BY chunks.n
"""

# The line breaks keep a phrase from matching across the end of a symbol or a path.
_CONTAINS_PHRASE = "instr(lower(symbol || char(10) || coalesce(path, '') || char(10) || text), ?{}) > 0"

_SELECT_TEXT_DEFINITIONS = """
SELECT chunks.n, asked.value ->> 1, chunks.text, nodes.start_line - chunks.start_line
FROM json_each(?1) AS asked CROSS JOIN nodes ON nodes.name = asked.value ->> 0 AND nodes.symbol != ''
CROSS JOIN chunks ON chunks.path = nodes.path AND chunks.kind = 'text'
    AND nodes.start_line BETWEEN chunks.start_line AND chunks.end_line
ORDER BY asked.key, nodes.n, chunks.n LIMIT ?2
"""

_SELECT_AT_LINES = """
SELECT n FROM (
    SELECT chunks.n, min(asked.key) AS place
    FROM json_each(?1) AS asked CROSS JOIN chunks ON chunks.path = asked.value ->> 0
        AND CAST(asked.value ->> 1 AS BIGINT) BETWEEN chunks.start_line AND chunks.end_line
    GROUP BY chunks.n
) AS found ORDER BY place, n LIMIT ?2
"""

_SELECT_ABSORBING = """
SELECT id, metadata FROM chunks WHERE path IS NULL AND instr(metadata, '"merged"') > 0 ORDER BY id DESC
"""


def to_chunk(row: Sequence[Any]) -> Chunk:
    """Convert a row of `COLUMNS` to a chunk.

    Raises:
        CorruptRowError: its metadata is invalid.
    """
    id_, type_, path, start_line, end_line, symbol, kind, language, text, metadata = row
    document = decode_metadata(id_, metadata)
    return Chunk(id_, type_, path, start_line, end_line, symbol, kind, language, text, document)


def decode_metadata(id_: str, metadata: str) -> dict[str, Any]:
    """Decode the metadata of a chunk.

    Raises:
        CorruptRowError: it is invalid.
    """
    try:
        document = decode_json(metadata)
    except (ValueError, RecursionError) as error:
        raise CorruptRowError(f'the metadata of chunk "{id_}" is not a JSON object') from error
    if not isinstance(document, dict):
        raise CorruptRowError(f'the metadata of chunk "{id_}" is not a JSON object')
    return document


class ChunkTable(Table):
    """Chunks with a stable id and a number that is never reused."""

    def get(self, ids: Sequence[str]) -> tuple[Chunk, ...]:
        """Return the chunks in the order of `ids`; leave missing ids out."""
        rows = self._fetch_rows(f"SELECT {COLUMNS} FROM chunks WHERE id = ANY(?1)", list(ids))
        found = {row[0]: to_chunk(row) for row in rows}
        return tuple(found[id_] for id_ in ids if id_ in found)

    def get_by_number(self, numbers: Sequence[int]) -> dict[int, Chunk]:
        """Return the existing chunks by number."""
        rows = self._fetch_rows(f"SELECT n, {COLUMNS} FROM chunks WHERE n = ANY(?1)", list(numbers))
        return {n: to_chunk(row) for n, *row in rows}

    def find_missing_ids(self, ids: Sequence[str]) -> list[str]:
        """List the ids that do not exist, in the order given."""
        known = set(self._fetch_column("SELECT id FROM chunks WHERE id = ANY(?1)", list(ids)))
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
        sql = "SELECT n, id, symbol, kind, metadata FROM chunks WHERE n = ANY(?1) ORDER BY n"
        for n, id_, symbol, kind, metadata in self._fetch_rows(sql, list(numbers)):
            # Few chunks define more than one name, and decoding the metadata of the others takes longer than the query.
            defines = decode_metadata(id_, metadata).get("defines") if '"defines"' in metadata else None
            yield n, symbol, kind, defines or ()

    def find_by_name(self, names: Sequence[str], most: int) -> list[int]:
        """List chunks by their own name, folded and without qualifiers."""
        sql = "SELECT n FROM chunks WHERE name = ANY(?1) AND name != '' ORDER BY name, n LIMIT ?2"
        return self._fetch_column(sql, list(map(shorten_key, names)), most)

    def find_text_definitions(self, names: Sequence[tuple[str, str]], most: int) -> list[int]:
        """List text chunks that spell out a name of the graph on its line.

        Args:
            names: each name in the graph, and its spelling in the text.
            most: the limit.
        """
        asked = self._db.pack_items([(shorten_key(name), spelling) for name, spelling in names])
        found: list[int] = []
        for n, spelling, text, at in self._fetch_rows(_SELECT_TEXT_DEFINITIONS, asked, most):
            lines = text.split("\n")
            # The graph has the last part of a name only; the line tells whether it is spelt as asked for.
            if at < len(lines) and spelling in lines[at]:
                found.append(n)
        return found

    def find_at_lines(self, places: Sequence[tuple[str, int]], most: int) -> list[int]:
        """List the chunks that contain one of these lines of files."""
        return self._fetch_column(_SELECT_AT_LINES, self._db.pack_items(places), most)

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
        conditions: list[str] = []
        if among is not None:
            values.append(list(among))
            conditions.append(f"n = ANY(?{len(values)})")
        if kinds is not None:
            values.append(sorted(kinds))
            conditions.append(f"kind = ANY(?{len(values)})")
        for phrase in phrases:
            values.append(phrase)
            conditions.append(_CONTAINS_PHRASE.format(len(values)))
        where = f"WHERE {' AND '.join(conditions)}" if conditions else ""
        return self._fetch_column(f"SELECT n FROM chunks {where} ORDER BY n", *values)

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
        return self._iter_rows(_SELECT_PROVENANCE)

    def find_merged(self, ids: Sequence[str]) -> dict[str, str]:
        """Map merged ids to the id of the record that absorbed them."""
        found: dict[str, str] = {}
        # The query reads all records, so it is not made for nothing.
        for heir, metadata in self._fetch_rows(_SELECT_ABSORBING) if ids else ():
            merged = decode_metadata(heir, metadata).get("merged")
            found |= {id_: heir for id_ in (merged if isinstance(merged, list) else ()) if id_ in ids and id_ != heir}
        return found

    def get_next_number(self) -> int:
        """Return the number of the next chunk; numbers are never reused."""
        return self._db.get_next_number("chunks")

    def get_last_number(self) -> int:
        """Return the highest existing number; 0 if there is none."""
        return int(self._fetch_value("SELECT coalesce(max(n), 0) FROM chunks"))

    def find_existing_numbers(self, first: int, last: int) -> set[int]:
        """Return the numbers from `first` to `last` that have a chunk."""
        return set(self._fetch_column("SELECT n FROM chunks WHERE n BETWEEN ?1 AND ?2", first, last))

    def get_paths(self, numbers: Sequence[int]) -> dict[int, str]:
        """Return the paths of existing chunks by number; a record's id."""
        sql = "SELECT n, coalesce(path, id) FROM chunks WHERE n = ANY(?1)"
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
        numbered = [_number_row(n, row) for n, row in enumerate(rows, first)]
        self._insert_rows("chunks", _ROW, numbered, "ON CONFLICT (id) DO NOTHING")
        # Numbers of rows that were skipped are used up too: a cache may look only above the last number that it read.
        self._db.raise_number("chunks", first + len(numbered) - 1)

    def insert_one(self, row: ChunkRow) -> int:
        """Insert one chunk and return its number."""
        n = self._take_numbers("chunks")
        self._insert_rows("chunks", _ROW, [_number_row(n, row)], "ON CONFLICT (id) DO NOTHING")
        return n

    def remove(self, ids: Iterable[str]) -> None:
        """Remove chunks with their postings and vectors."""
        named = list(ids)
        # A record's document has no file whose removal would cascade to it.
        self._execute(_REMOVE_DOCUMENTS, named)
        self._execute("DELETE FROM chunks WHERE id = ANY(?1)", named)

    def iter_file_chunks(self) -> Iterator[Chunk]:
        """Yield every chunk of a file, by path and line."""
        sql = f"SELECT {COLUMNS} FROM chunks WHERE path IS NOT NULL ORDER BY path, start_line, id"
        return map(to_chunk, self._iter_rows(sql))

    def update_metadata(self, metadata: Iterable[tuple[str, str]]) -> None:
        """Replace the metadata of chunks: id and JSON text."""
        self._execute_many(_UPDATE_METADATA, metadata)
        self._execute(INCREMENT_FACT, "records_version")

    def list_by_file(self, path: str) -> Sequence[Chunk]:
        """List the chunks of a file by number; none if a row is damaged."""
        rows = self._fetch_rows(f"SELECT {COLUMNS} FROM chunks WHERE path = ?1 ORDER BY n", path)
        try:
            return list(map(to_chunk, rows))
        except CorruptRowError:
            return []

    def get_line_range(self, id_: str) -> tuple[str, int, int] | None:
        """Return path, first and last line; None for a record or unknown id."""
        sql = "SELECT path, start_line, end_line FROM chunks WHERE id = ?1 AND path IS NOT NULL"
        return next(iter(self._fetch_rows(sql, id_)), None)

    def find_at_line(self, path: str, line: int) -> str | None:
        """Return the id of the innermost chunk at a line; None if there is none."""
        sql = "SELECT id FROM chunks WHERE path = ?1 AND start_line <= ?2 AND end_line >= ?2"
        return next(iter(self._fetch_column(f"{sql} ORDER BY start_line DESC, n LIMIT 1", path, line)), None)

    def get_text_at(self, path: str, line: int) -> tuple[str, int] | None:
        """Return text and first line of a chunk at a line; None if there is none."""
        sql = "SELECT text, start_line FROM chunks WHERE path = ?1 AND start_line <= ?2 AND end_line >= ?2"
        return next(iter(self._fetch_rows(f"{sql} ORDER BY n LIMIT 1", path, line)), None)


def _number_row(n: int, row: ChunkRow) -> tuple[object, ...]:
    return (n, *row[:-1], shorten_key(row[-1]))


_SELECT_RECORDS = f"""
SELECT {COLUMNS}, (SELECT at FROM remembered WHERE remembered.id = chunks.id) FROM chunks WHERE path IS NULL
"""

_SELECT_QUESTIONS = """
SELECT id, metadata FROM chunks WHERE path IS NULL AND type = 'reas' AND instr(metadata, '"query"') > 0 ORDER BY id
"""

_SET_TIME = "ON CONFLICT (id) DO UPDATE SET at = excluded.at"
_INSERT_NEW_TIME = "INSERT INTO remembered (id, at) VALUES (?1, ?2) ON CONFLICT DO NOTHING"
_SET_DIGEST = "ON CONFLICT (id) DO UPDATE SET digest = excluded.digest"

_INSERT_UNDO = "INSERT INTO undo (n, at, action, summary, document) VALUES (?1, ?2, ?3, ?4, ?5)"

_SELECT_UNDO = "SELECT n, at, action, summary, document FROM undo"

_TRIM_UNDO = "DELETE FROM undo WHERE n NOT IN (SELECT n FROM undo AS kept ORDER BY n DESC LIMIT ?1)"

# Another process may have added an entry since this one was read; only the last may be undone.
_POP_UNDO = "DELETE FROM undo WHERE n = ?1 AND n = (SELECT max(n) FROM undo AS kept)"


class RecordTable(Table):
    """Records: chunks that no file contains."""

    def list_records(self, ids: Iterable[str] | None = None) -> Sequence[tuple[Chunk, float | None]]:
        """List records with their creation time, all or by id, sorted by id."""
        if ids is None:
            rows = self._fetch_rows(f"{_SELECT_RECORDS} ORDER BY id")
        else:
            rows = self._fetch_rows(f"{_SELECT_RECORDS} AND id = ANY(?1) ORDER BY id", list(ids))
        return [(to_chunk(row[:-1]), row[-1]) for row in rows]

    def list_questions(self) -> Sequence[tuple[str, str]]:
        """List the patterns that answer a question: their ids and the questions."""
        found = (
            (id_, decode_metadata(id_, metadata).get("query")) for id_, metadata in self._fetch_rows(_SELECT_QUESTIONS)
        )
        return [(id_, question) for id_, question in found if isinstance(question, str)]

    def mark_remembered(self, id_: str) -> None:
        """Set the creation time of a record to now, unless it is known."""
        self._execute(_INSERT_NEW_TIME, id_, time.time())
        self._bump_version()

    def set_remembered_times(self, moments: Iterable[tuple[str, float]]) -> None:
        """Set the creation times of records in seconds since 1970."""
        self._insert_rows("remembered", "id, at", dict(moments).items(), _SET_TIME)
        self._bump_version()

    def remove(self, ids: Iterable[str]) -> None:
        """Remove the creation times of records."""
        self._execute("DELETE FROM remembered WHERE id = ANY(?1)", list(ids))
        self._bump_version()

    def get_shared(self) -> dict[str, bytes]:
        """Return the digests of the records as the view and the shared database last had them, by id."""
        return dict(self._fetch_rows("SELECT id, digest FROM shared_records"))

    def set_shared(self, digests: Iterable[tuple[str, bytes]], gone: Iterable[str]) -> None:
        """Set the digests of records that both databases have now, and remove those of `gone`."""
        self._insert_rows("shared_records", "id, digest", dict(digests).items(), _SET_DIGEST)
        self._execute("DELETE FROM shared_records WHERE id = ANY(?1)", list(gone))

    def _bump_version(self) -> None:
        """Count a change of records, so that other worktrees read them."""
        self._execute(INCREMENT_FACT, "records_version")

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


# PostgreSQL knows no type for a parameter in the list of a SELECT, hence the CAST.
_INSERT_EXISTING_USE = """
INSERT INTO accesses (id, at) SELECT id, CAST(?2 AS DOUBLE PRECISION) FROM chunks WHERE id = ?1 ON CONFLICT DO NOTHING
"""
_DELETE_OLDEST_USES = """
DELETE FROM accesses WHERE (id, at) IN (
    SELECT id, at FROM (
        SELECT id, at, row_number() OVER (PARTITION BY id ORDER BY at DESC) AS place FROM accesses AS ranked
        WHERE id = ANY(?1)
    ) AS placed WHERE place > ?2
)
"""


class UsageTable(Table):
    """Accesses by chunk id, each time once."""

    def add_existing(self, uses: Iterable[ChunkUse]) -> None:
        """Add accesses of existing chunks."""
        self._execute_many(_INSERT_EXISTING_USE, uses)

    def add(self, uses: Iterable[ChunkUse]) -> None:
        """Add accesses, also of missing chunks."""
        self._insert_rows("accesses", "id, at", uses, "ON CONFLICT DO NOTHING")

    def trim(self, ids: Iterable[str], most: int) -> None:
        """Remove the oldest accesses beyond `most` of each chunk."""
        self._execute(_DELETE_OLDEST_USES, list(ids), most)

    def get_by_id(self, ids: Iterable[str]) -> dict[str, tuple[float, ...]]:
        """Return the accesses by id, oldest first; leave unused chunks out."""
        sql = "SELECT id, at FROM accesses WHERE id = ANY(?1) ORDER BY id, at"
        return dict(_group_by_chunk(self._fetch_rows(sql, list(ids))))

    def iter_all(self) -> Iterator[tuple[str, tuple[float, ...]]]:
        """Yield every id in order with its accesses, oldest first."""
        return _group_by_chunk(self._iter_rows("SELECT id, at FROM accesses ORDER BY id, at"))

    def iter_existing(self) -> Iterator[tuple[str, tuple[float, ...]]]:
        """Yield every existing id in order with its accesses, oldest first."""
        sql = "SELECT id, at FROM accesses WHERE id IN (SELECT id FROM chunks) ORDER BY id, at"
        return _group_by_chunk(self._fetch_rows(sql))

    def remove_uses(self, uses: Iterable[ChunkUse]) -> None:
        """Remove these accesses."""
        self._execute_many("DELETE FROM accesses WHERE id = ?1 AND at = ?2", uses)

    def clear(self) -> None:
        """Remove all accesses."""
        self._execute("DELETE FROM accesses")

    def remove(self, ids: Iterable[str]) -> None:
        """Remove all accesses of these chunks."""
        self._execute("DELETE FROM accesses WHERE id = ANY(?1)", list(ids))


def _group_by_chunk(uses: Iterable[Any]) -> Iterator[tuple[str, tuple[float, ...]]]:
    """Group sorted accesses by chunk."""
    for id_, group in groupby(uses, key=itemgetter(0)):
        yield id_, tuple(at for _, at in group)
