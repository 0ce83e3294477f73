"""Confirmation of records: a person says that a fact or a pattern is right."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from aurora.faults import Code, Fault
from aurora.memory.model.json_columns import encode_json, get_timestamp

from .citations import cite_chunks, is_evidence, read_citations

if TYPE_CHECKING:
    from aurora.memory.model.chunks import Chunk
    from aurora.memory.storage import Store, Tables


def confirm_record(store: Store, id_: str, *, by: str, how: str) -> Chunk:
    """Mark a record as confirmed by a person.

    The citations get the hashes of today's texts; those that are gone are left out, unless all are.

    Args:
        store: the store.
        id_: the id of a fact or a pattern.
        by: the name of the person's account.
        how: how the person was asked, as `terminal`.

    Returns:
        The record as it is now.

    Raises:
        Fault: NOT_FOUND for an unknown id, CONFLICT for a chunk of a file.
    """
    with store.begin_write() as db:
        chunk = find_record(db, id_)
        metadata = {**chunk.metadata, "confirmed": build_confirmation(by, how)}
        cited = db.chunks.get([one.id for one in read_citations(metadata)])
        if citations := cite_chunks(one for one in cited if is_evidence(one)):
            metadata["citations"] = citations
        return _update_metadata(db, chunk, metadata)


def build_confirmation(by: str, how: str) -> dict[str, str]:
    """Build the mark of a confirmation: who, how, and when (ISO 8601, UTC)."""
    return {"by": by, "how": how, "at": get_timestamp()}


def revoke_confirmation(store: Store, id_: str) -> Chunk:
    """Remove the mark of a confirmation, if there is one, and return the record.

    Raises:
        Fault: as `confirm_record`.
    """
    with store.begin_write() as db:
        chunk = find_record(db, id_)
        return _update_metadata(db, chunk, {key: value for key, value in chunk.metadata.items() if key != "confirmed"})


def find_record(db: Tables, id_: str) -> Chunk:
    """Find a fact or a pattern by its id.

    Raises:
        Fault: NOT_FOUND for an unknown id, CONFLICT for a chunk of a file.
    """
    chunk = next(iter(db.chunks.get([id_])), None)
    if chunk is None:
        heir = db.chunks.find_merged([id_]).get(id_)
        message = f'there is no record "{id_[:80]}"'
        remedy = f'It was replaced by "{heir}".' if heir else "`aur mem search` shows the ids: know:… or reas:…"
        raise Fault(Code.NOT_FOUND, message, help=remedy, details={"id": id_[:80]})
    if chunk.path is not None:
        message = f'"{id_[:80]}" is a chunk of {chunk.path}, which needs no confirmation'
        raise Fault(Code.CONFLICT, message, help="Give the id of a fact or a pattern: know:… or reas:… without a file.")
    return chunk


def _update_metadata(db: Tables, chunk: Chunk, metadata: dict[str, Any]) -> Chunk:
    if metadata != chunk.metadata:
        db.chunks.update_metadata([(chunk.id, encode_json(metadata))])
        db.meta.bump_generation()
    return replace(chunk, metadata=metadata)
