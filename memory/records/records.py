"""What no file holds, as values: facts and patterns with when they were kept and used, read and written in one go."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aurora.memory.analysis.usage import KEPT
from aurora.memory.embeddings.embedder import pack_texts
from aurora.memory.model.chunks import Chunk
from aurora.memory.model.rows import embedded_as, row_of
from aurora.memory.text_index import write as lexicon_write
from aurora.memory.text_index.pack import pack

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from aurora.memory.sqlite.tables.all import Tables


@dataclass(frozen=True, slots=True)
class Kept:
    """A record: the chunk, when it was first kept (seconds since 1970; None: not known), and when it was used."""

    chunk: Chunk
    at: float | None
    accesses: tuple[float, ...] = ()


def kept(db: Tables, ids: Iterable[str] | None = None) -> tuple[Kept, ...]:
    """The records of these ids, or all of them, sorted by id; ids of files' chunks and of nothing are left out."""
    told = db.records.told(ids)
    used = db.uses.of(chunk.id for chunk, _ in told)
    return tuple(Kept(chunk, at, used.get(chunk.id, ())) for chunk, at in told)


def vectors_of(records: Sequence[Kept]) -> list[bytes | None]:
    """The meaning of each; worked out before the transaction, for it takes the longest."""
    return pack_texts([embedded_as(None, one.chunk.symbol, one.chunk.text) for one in records])


def put(db: Tables, records: Sequence[Kept], vectors: Sequence[bytes | None]) -> None:
    """Write records that are not there, inside the open transaction.

    Args:
        db: an open write transaction.
        records: what to write; none of their ids may be taken.
        vectors: the meaning of each.
    """
    if not records:
        return
    first = db.chunks.next_number()
    db.chunks.insert(first, (row_of(one.chunk) for one in records))
    db.records.keep((one.chunk.id, one.at) for one in records if one.at is not None)
    for n, (one, vector) in enumerate(zip(records, vectors, strict=True), first):
        if vector is not None:
            db.vectors.put(n, one.chunk.type, vector)
    use(db, {one.chunk.id: one.accesses for one in records})
    documents = [lexicon_write.document(one.chunk.type, None, [one.chunk]) for one in records]
    lexicon_write.add(db, first, pack(documents))
    lexicon_write.tidy(db)
    db.facts.chunks_changed()


def drop(db: Tables, ids: Iterable[str]) -> None:
    """Take records out with all that hangs on them, inside the open transaction."""
    gone = tuple(ids)
    db.chunks.remove(gone)
    db.uses.remove(gone)
    db.records.remove(gone)
    db.facts.chunks_changed()


def use(db: Tables, times: Mapping[str, Iterable[float]]) -> None:
    """Add accesses to those there are, inside the open transaction; the newest stay."""
    db.uses.add((id_, at) for id_, some in times.items() for at in some)
    db.uses.trim(times, KEPT)


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
