"""Chunks in the store: rows to values, and how a new one enters all the tables at once."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from .documents import dumped, loaded
from .model import Chunk
from .sqlite.rows import ask

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import apsw

    Row = tuple[Any, ...]

COLUMNS = "id, type, path, start_line, end_line, symbol, kind, language, text, metadata"

INSERT = """
INSERT INTO chunks (n, id, type, path, start_line, end_line, symbol, kind, language, text, metadata, name)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING
"""


def chunk_of(row: Sequence[Any]) -> Chunk:
    """The chunk in a row of `COLUMNS`."""
    id_, type_, path, start_line, end_line, symbol, kind, language, text, metadata = row
    return Chunk(id_, type_, path, start_line, end_line, symbol, kind, language, text, loaded(metadata))


def get(db: apsw.Connection, ids: Sequence[str]) -> tuple[Chunk, ...]:
    """These chunks, in the order asked; missing ids are left out, one asked twice comes twice."""
    rows = ask(
        db,
        f"SELECT {COLUMNS} FROM chunks WHERE id IN (SELECT value FROM json_each(?))",  # noqa: S608 - a constant
        (json.dumps(list(ids)),),
    )
    found = {row[0]: chunk_of(row) for row in rows}
    return tuple(found[id_] for id_ in ids if id_ in found)


def row_of(chunk: Chunk) -> Row:
    """What `INSERT` takes after the number; without one, the database gives the next.

    Raises:
        Fault: INVALID_INPUT when the metadata is not JSON.
    """
    place = (chunk.path, chunk.start_line, chunk.end_line)
    what = (chunk.symbol, chunk.kind, chunk.language, chunk.text, dumped(chunk.metadata), name_of(chunk.symbol))
    return (chunk.id, chunk.type, *place, *what)


def place_vector(db: apsw.Connection, n: int, type_: str, body: bytes) -> None:
    """Write the vector of one chunk, as `meaning.packed` gives it; an empty one for a text without a word."""
    db.execute("INSERT INTO vectors (n, type, body) VALUES (?, ?, ?) ON CONFLICT DO NOTHING", (n, type_, body))


def remove(db: apsw.Connection, ids: Iterable[str]) -> None:
    """Take chunks out, with their words and vectors."""
    db.executemany("DELETE FROM chunks WHERE id = ?", ((id_,) for id_ in ids))


def changed(db: apsw.Connection) -> None:
    """Say, inside the open transaction, that chunks changed; whoever holds vectors in memory looks here."""
    db.execute(
        "INSERT INTO facts (key, value) VALUES ('generation', '1') "
        "ON CONFLICT (key) DO UPDATE SET value = CAST(value AS INTEGER) + 1"
    )


def name_of(symbol: str) -> str:
    """The last part of a qualified name, folded: `Class.readLine` is `readline`, `std::vec::Vec` is `vec`."""
    last = symbol.replace("::", ".").replace("#", ".").rstrip(".").rpartition(".")[2]
    return last.strip().casefold()


def holds(db: apsw.Connection, place: str) -> bool:
    """Whether there is this file of the project, or one in this folder."""
    query = "SELECT 1 FROM files WHERE path = ?1 OR (path > ?1 || '/' AND path < ?1 || '0') LIMIT 1"
    return bool(ask(db, query, (place,)))
