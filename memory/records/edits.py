"""Edits of records: adding and removing them, with undo."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from aurora.errors import Code, Fault, list_names
from aurora.memory import embeddings, text_index
from aurora.memory.model.chunks import build_row, compute_chunk_id, format_embedding_text
from aurora.memory.model.json_columns import clean_text

from . import records, undo

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aurora.memory.model.chunks import Chunk
    from aurora.memory.storage.store import Store, Tables

    from .records import StoredRecord


def forget_records(store: Store, ids: Sequence[str]) -> tuple[StoredRecord, ...]:
    """Remove these records, all or none.

    Args:
        store: the store.
        ids: the ids of facts and patterns; duplicates count once.

    Returns:
        The removed records.

    Raises:
        Fault: NOT_FOUND for unknown ids, CONFLICT for chunks of files; nothing is removed then.
    """
    wanted = tuple(dict.fromkeys(ids))
    with store.begin_write() as db:
        found = records.read_records(db, wanted)
        others = set(wanted) - {record.chunk.id for record in found}
        if others:
            of_files = {chunk.id: chunk.path or "" for chunk in db.chunks.get(sorted(others))}
            raise _build_forget_fault(others, of_files, db.chunks.find_merged(sorted(others)))
        summary = f"forgot {len(found)} record{'s' if len(found) != 1 else ''}"
        undo.record_change(db, undo.UndoableChange("forget", summary, before=found))
        records.remove_records(db, wanted)
    return found


def _build_forget_fault(others: set[str], of_files: dict[str, str], merged: dict[str, str]) -> Fault:
    missing = sorted(others - of_files.keys())
    if missing:
        old = next(iter(sorted(merged)), None)
        return Fault(
            Code.NOT_FOUND,
            f"there is no record {list_names(name[:80] for name in missing)}; nothing was forgotten",
            help=f'"{old}" was merged into "{merged[old]}": forget that one, or undo the merge with `aur mem undo`'
            if old
            else "`aur mem search` and `aur mem export` show the ids of facts and patterns",
            details={"missing": [name[:80] for name in missing]},
        )
    first = min(of_files)
    return Fault(
        Code.CONFLICT,
        f'"{first}" comes from the file "{of_files[first]}", so the next indexing would add it again; '
        "nothing was forgotten",
        help="edit the file, or name it in .auroraignore, then run `aur mem index`",
        details={"files": dict(sorted(of_files.items()))},
    )


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
    (vector,) = embeddings.embed_quantized([format_embedding_text(None, chunk.symbol, chunk.text)])
    return vector


def insert_record(db: Tables, chunk: Chunk, vector: bytes | None) -> None:
    """Insert a new record in the open transaction."""
    n = db.chunks.insert_one(build_row(chunk))
    db.records.mark_remembered(chunk.id)
    text_index.add_chunk(db, n, chunk)
    if vector is not None:
        db.vectors.insert(n, chunk.type, vector)
    db.meta.bump_generation()
