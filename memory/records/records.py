"""Records that no file contains, with the times of their creation and use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aurora.memory import embeddings, text_index
from aurora.memory.model.chunks import Chunk, build_row, format_embedding_text
from aurora.memory.usage import MAX_USES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from aurora.memory.storage.store import Tables


@dataclass(frozen=True, slots=True)
class StoredRecord:
    """Record: its chunk, its creation time, and its accesses.

    Times are seconds since 1970; `at` is None if it is unknown.
    """

    chunk: Chunk
    at: float | None
    accesses: tuple[float, ...] = ()


def read_records(db: Tables, ids: Iterable[str] | None = None) -> tuple[StoredRecord, ...]:
    """Read the records with these ids, or all records, sorted by id.

    Ids of file chunks and unknown ids are left out.
    """
    rows = db.records.list_records(ids)
    used = db.usage.get_by_id(chunk.id for chunk, _ in rows)
    return tuple(StoredRecord(chunk, at, used.get(chunk.id, ())) for chunk, at in rows)


def embed_records(records: Sequence[StoredRecord]) -> list[bytes | None]:
    """Compute the embeddings, before the transaction since it is slow."""
    return embeddings.embed_quantized(
        [format_embedding_text(None, record.chunk.symbol, record.chunk.text) for record in records]
    )


def insert_records(db: Tables, records: Sequence[StoredRecord], vectors: Sequence[bytes | None]) -> None:
    """Insert new records in the open transaction.

    Args:
        db: the tables in a write transaction.
        records: the records; their ids must be new.
        vectors: the embedding of each.
    """
    if not records:
        return
    first = db.chunks.get_next_number()
    db.chunks.insert(first, (build_row(record.chunk) for record in records))
    db.records.set_remembered_times((record.chunk.id, record.at) for record in records if record.at is not None)
    for n, (record, vector) in enumerate(zip(records, vectors, strict=True), first):
        if vector is not None:
            db.vectors.insert(n, record.chunk.type, vector)
    add_accesses(db, {record.chunk.id: record.accesses for record in records})
    documents = [text_index.build_document(record.chunk.type, None, [record.chunk]) for record in records]
    text_index.add_documents(db, first, text_index.pack_documents(documents))
    text_index.compact_segments(db)
    db.meta.bump_generation()


def remove_records(db: Tables, ids: Iterable[str]) -> None:
    """Remove records and what depends on them in the open transaction."""
    gone = tuple(ids)
    db.chunks.remove(gone)
    db.usage.remove(gone)
    db.records.remove(gone)
    db.meta.bump_generation()


def add_accesses(db: Tables, times: Mapping[str, Iterable[float]]) -> None:
    """Add accesses in the open transaction; keep the newest."""
    db.usage.add((id_, at) for id_, moments in times.items() for at in moments)
    db.usage.trim(times, MAX_USES)


def to_json(record: StoredRecord) -> dict[str, Any]:
    """Return the record as JSON values, without its accesses."""
    chunk = record.chunk
    return {
        "id": chunk.id,
        "type": chunk.type,
        "kind": chunk.kind,
        "symbol": chunk.symbol,
        "language": chunk.language,
        "text": chunk.text,
        "metadata": dict(chunk.metadata),
        "at": record.at,
    }


def from_json(given: Mapping[str, Any], times: Iterable[float] = ()) -> StoredRecord:
    """Create a record from the values that `to_json` returns."""
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
