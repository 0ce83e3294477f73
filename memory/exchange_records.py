"""What no file holds, as values: facts and patterns with when they were kept and used, read and written in one go."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import lexicon_write, store_chunks
from .access import KEPT
from .meaning import pack_texts
from .model import Chunk
from .postings import pack
from .sqlite.rows import ask
from .store_record import embedded_as

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import apsw

_ROWS = f"""
SELECT {store_chunks.COLUMNS}, (SELECT at FROM remembered WHERE remembered.id = chunks.id)
FROM chunks WHERE path IS NULL
"""  # noqa: S608 - a constant
_AMONG = "id IN (SELECT value FROM json_each(?))"


@dataclass(frozen=True, slots=True)
class Kept:
    """A record: the chunk, when it was first kept (seconds since 1970; None: not known), and when it was used."""

    chunk: Chunk
    at: float | None
    accesses: tuple[float, ...] = ()


def kept(db: apsw.Connection, ids: Iterable[str] | None = None) -> tuple[Kept, ...]:
    """The records of these ids, or all of them, sorted by id; ids of files' chunks and of nothing are left out."""
    some = () if ids is None else (json.dumps(list(ids)),)
    rows = ask(db, f"{_ROWS}{f' AND {_AMONG}' if some else ''} ORDER BY id", some)
    used = accesses(db, [row[0] for row in rows])
    return tuple(Kept(store_chunks.chunk_of(row[:-1]), row[-1], used.get(row[0], ())) for row in rows)


def accesses(db: apsw.Connection, ids: Iterable[str]) -> dict[str, tuple[float, ...]]:
    """When each of these was used, the oldest first; those never used are left out."""
    found: dict[str, list[float]] = {}
    for id_, at in ask(db, f"SELECT id, at FROM accesses WHERE {_AMONG} ORDER BY id, at", (json.dumps(list(ids)),)):  # noqa: S608 - a constant
        found.setdefault(id_, []).append(at)
    return {id_: tuple(times) for id_, times in found.items()}


def vectors_of(records: Sequence[Kept]) -> list[bytes | None]:
    """The meaning of each; worked out before the transaction, for it takes the longest."""
    return pack_texts([embedded_as(None, one.chunk.symbol, one.chunk.text) for one in records])


def put(db: apsw.Connection, records: Sequence[Kept], vectors: Sequence[bytes | None]) -> None:
    """Write records that are not there, inside the open transaction.

    Args:
        db: an open write transaction.
        records: what to write; none of their ids may be taken.
        vectors: the meaning of each.
    """
    if not records:
        return
    first = lexicon_write.next_number(db)
    for n, (one, vector) in enumerate(zip(records, vectors, strict=True), first):
        db.execute(store_chunks.INSERT, (n, *store_chunks.row_of(one.chunk)))
        if one.at is not None:
            db.execute("INSERT OR REPLACE INTO remembered (id, at) VALUES (?, ?)", (one.chunk.id, one.at))
        if vector is not None:
            store_chunks.place_vector(db, n, one.chunk.type, vector)
    use(db, {one.chunk.id: one.accesses for one in records})
    documents = [lexicon_write.document(one.chunk.type, None, [one.chunk]) for one in records]
    lexicon_write.add(db, first, pack(documents))
    lexicon_write.tidy(db)
    store_chunks.changed(db)


def drop(db: apsw.Connection, ids: Iterable[str]) -> None:
    """Take records out with all that hangs on them, inside the open transaction."""
    gone = tuple(ids)
    store_chunks.remove(db, gone)
    for table in ("accesses", "remembered"):
        db.executemany(f"DELETE FROM {table} WHERE id = ?", ((id_,) for id_ in gone))  # noqa: S608 - from a literal
    store_chunks.changed(db)


def use(db: apsw.Connection, times: Mapping[str, Iterable[float]]) -> None:
    """Add accesses to those there are, inside the open transaction; the newest stay."""
    rows = [(id_, at) for id_, some in times.items() for at in some]
    db.executemany("INSERT OR IGNORE INTO accesses (id, at) VALUES (?, ?)", rows)
    for id_ in times:
        db.execute(
            "DELETE FROM accesses WHERE id = ?1 AND at NOT IN "
            "(SELECT at FROM accesses WHERE id = ?1 ORDER BY at DESC LIMIT ?2)",
            (id_, KEPT),
        )


def as_json(one: Kept) -> dict[str, Any]:
    """The record as JSON values, without its accesses."""
    chunk = one.chunk
    return {
        "id": chunk.id,
        "type": chunk.type,
        "kind": chunk.kind,
        "symbol": chunk.symbol,
        "language": chunk.language,
        "text": chunk.text,
        "metadata": dict(chunk.metadata),
        "at": one.at,
    }


def from_json(given: Mapping[str, Any], times: Iterable[float] = ()) -> Kept:
    """The record that `as_json` wrote."""
    chunk = Chunk(
        given["id"],
        given["type"],
        None,
        0,
        0,
        given["symbol"],
        given["kind"],
        given["language"],
        given["text"],
        given["metadata"],
    )
    return Kept(chunk, given["at"], tuple(times))
