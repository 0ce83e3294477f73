"""Records added by a caller: reasoning patterns, cached results, facts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from aurora.faults import Code, Fault
from aurora.memory import text_index
from aurora.memory.embeddings import embed_quantized
from aurora.memory.model.chunks import build_row, compute_chunk_id, format_embedding_text
from aurora.memory.model.json_columns import clean_text

if TYPE_CHECKING:
    from aurora.memory.model.chunks import Chunk
    from aurora.memory.storage import Store, Tables

_CHUNK_TYPES = ("code", "know", "reas")


def remember_record(store: Store, draft: Chunk) -> tuple[str, bool]:
    """Add a record that no file contains and that indexing keeps.

    Args:
        store: the store.
        draft: type, kind, symbol, text and metadata; the other fields are computed.

    Returns:
        The id, which follows from type, kind, symbol and text, and True if the record is new.

    Raises:
        Fault: INVALID_INPUT for an unknown type, empty text, or metadata that is not JSON.
    """
    chunk = complete_record(draft)
    with store.begin_read() as db:
        if db.chunks.get([chunk.id]):
            return chunk.id, False
    vector = embed_record(chunk)
    with store.begin_write() as db:
        if db.chunks.get([chunk.id]):  # another process may have been faster
            return chunk.id, False
        insert_record(db, chunk, vector)
    return chunk.id, True


def complete_record(draft: Chunk) -> Chunk:
    """Clean the texts of a record, and compute its id.

    Raises:
        Fault: INVALID_INPUT for an unknown type, empty text, or metadata that is not JSON.
    """
    if draft.type not in _CHUNK_TYPES:
        raise Fault(
            Code.INVALID_INPUT,
            f'there is no chunk type "{draft.type}"',
            help='use one of "code", "know", "reas"',
            details={"type": draft.type},
        )
    chunk = replace(draft, kind=clean_text(draft.kind), symbol=clean_text(draft.symbol), text=clean_text(draft.text))
    if not chunk.text.strip():
        raise Fault(
            Code.INVALID_INPUT,
            f'the "{chunk.type}" record "{chunk.symbol}" has no text',
            help="add a text",
        )
    chunk = replace(chunk, id=compute_chunk_id(chunk.type, chunk.kind, chunk.symbol, " ".join(chunk.text.split())))
    build_row(chunk)  # rejects metadata that is not JSON
    return chunk


def embed_record(chunk: Chunk) -> bytes | None:
    """Compute the embedding of a record, before the transaction since it is slow."""
    (vector,) = embed_quantized([format_embedding_text(None, chunk.symbol, chunk.text)])
    return vector


def insert_record(db: Tables, chunk: Chunk, vector: bytes | None) -> None:
    """Insert a new record in the open transaction."""
    n = db.chunks.insert_one(build_row(chunk))
    db.records.mark_remembered(chunk.id)
    text_index.add_chunk(db, n, chunk)
    if vector is not None:
        db.vectors.insert(n, chunk.type, vector)
    db.meta.bump_generation()
