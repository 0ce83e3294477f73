"""Chunks in the store: rows to values, and how a new one enters all the tables at once."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

from .documents import loaded
from .model import Chunk
from .words import code_words, path_words, prose_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import apsw

COLUMNS = "id, type, path, start_line, end_line, symbol, kind, language, text, metadata"

_INSERT = """
INSERT INTO chunks (id, type, path, start_line, end_line, symbol, kind, language, text, metadata, name)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING n
"""


def identify(type_: str, *parts: str) -> str:
    """The id of a chunk, from all that makes it itself.

    Returns:
        `type:` and 12 hexadecimal digits of a BLAKE2 hash; 48 bits, so that two of 100,000 chunks share one once
        in 50,000 such memories.
    """
    sealed = json.dumps([type_, *parts]).encode()
    return f"{type_}:{hashlib.blake2b(sealed, digest_size=6).hexdigest()}"


def normalised(text: str) -> str:
    """The text without what an editor changes by itself: spaces at the ends of lines, blank lines around it."""
    return "\n".join(line.rstrip() for line in text.splitlines()).strip("\n")


def chunk_of(row: Sequence[Any]) -> Chunk:
    """The chunk in a row of `COLUMNS`."""
    return Chunk(*row[:9], metadata=loaded(row[9]))


def get(db: apsw.Connection, ids: Sequence[str]) -> tuple[Chunk, ...]:
    """These chunks, in the order asked; missing ids are left out, one asked twice comes twice."""
    rows = db.execute(
        f"SELECT {COLUMNS} FROM chunks WHERE id IN (SELECT value FROM json_each(?))",  # noqa: S608 - a constant
        (json.dumps(list(ids)),),
    )
    found = {row[0]: chunk_of(row) for row in rows}
    return tuple(found[id_] for id_ in ids if id_ in found)


def insert(db: apsw.Connection, chunk: Chunk, metadata: str, vector: bytes | None) -> None:
    """Write one chunk, its words and its vector."""
    row = (
        *(chunk.id, chunk.type, chunk.path, chunk.start_line, chunk.end_line, chunk.symbol, chunk.kind),
        *(chunk.language, chunk.text, metadata, name_of(chunk.symbol)),
    )
    n = db.execute(_INSERT, row).fetchone()[0]
    table, words = ("code_words", code_words) if chunk.type == "code" else ("prose_words", prose_words)
    db.execute(
        f"INSERT INTO {table} (rowid, symbol, path, text) VALUES (?, ?, ?, ?)",  # noqa: S608 - one of two constants
        (n, words(chunk.symbol), path_words(chunk.path or ""), words(chunk.text)),
    )
    if vector is not None:
        db.execute("INSERT INTO vectors (n, type, body) VALUES (?, ?, ?)", (n, chunk.type, vector))


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
