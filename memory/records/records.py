"""What no file holds, as values: facts and patterns with when they were kept and used, read and written in one go."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aurora.memory.analysis import MAX_USES
from aurora.memory.embeddings import embed_quantized
from aurora.memory.model import Chunk, build_row, format_embedding_text
from aurora.memory.text_index import pack_documents
from aurora.memory.text_index import write as lexicon_write

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from aurora.memory.sqlite.tables import Tables


@dataclass(frozen=True, slots=True)
class StoredRecord:
    """A record: the chunk, when it was first kept (seconds since 1970; None: not known), and when it was used."""

    chunk: Chunk
    at: float | None
    accesses: tuple[float, ...] = ()


def read_records(db: Tables, ids: Iterable[str] | None = None) -> tuple[StoredRecord, ...]:
    """The records of these ids, or all of them, sorted by id; ids of files' chunks and of nothing are left out."""
    told = db.records.list_records(ids)
    used = db.usage.get_by_id(chunk.id for chunk, _ in told)
    return tuple(StoredRecord(chunk, at, used.get(chunk.id, ())) for chunk, at in told)


def embed_records(records: Sequence[StoredRecord]) -> list[bytes | None]:
    """The meaning of each; worked out before the transaction, for it takes the longest."""
    return embed_quantized([format_embedding_text(None, one.chunk.symbol, one.chunk.text) for one in records])


def insert_records(db: Tables, records: Sequence[StoredRecord], vectors: Sequence[bytes | None]) -> None:
    """Write records that are not there, inside the open transaction.

    Args:
        db: an open write transaction.
        records: what to write; none of their ids may be taken.
        vectors: the meaning of each.
    """
    if not records:
        return
    first = db.chunks.get_next_number()
    db.chunks.insert(first, (build_row(one.chunk) for one in records))
    db.records.set_remembered_times((one.chunk.id, one.at) for one in records if one.at is not None)
    for n, (one, vector) in enumerate(zip(records, vectors, strict=True), first):
        if vector is not None:
            db.vectors.insert(n, one.chunk.type, vector)
    add_accesses(db, {one.chunk.id: one.accesses for one in records})
    documents = [lexicon_write.build_document(one.chunk.type, None, [one.chunk]) for one in records]
    lexicon_write.add_documents(db, first, pack_documents(documents))
    lexicon_write.compact_segments(db)
    db.meta.bump_generation()


def remove_records(db: Tables, ids: Iterable[str]) -> None:
    """Take records out with all that hangs on them, inside the open transaction."""
    gone = tuple(ids)
    db.chunks.remove(gone)
    db.usage.remove(gone)
    db.records.remove(gone)
    db.meta.bump_generation()


def add_accesses(db: Tables, times: Mapping[str, Iterable[float]]) -> None:
    """Add accesses to those there are, inside the open transaction; the newest stay."""
    db.usage.add((id_, at) for id_, some in times.items() for at in some)
    db.usage.trim(times, MAX_USES)


def to_json(one: StoredRecord) -> dict[str, Any]:
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


def from_json(given: Mapping[str, Any], times: Iterable[float] = ()) -> StoredRecord:
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
    return StoredRecord(chunk, given["at"], tuple(times))
