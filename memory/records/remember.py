"""What the memory is told rather than finds in files: reasoning patterns, cached results, facts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from aurora.faults import Code, Fault
from aurora.memory.embeddings.embedder import pack_texts
from aurora.memory.model.json_columns import clean
from aurora.memory.model.rows import embedded_as, identify, row_of
from aurora.memory.text_index import write as lexicon_write

if TYPE_CHECKING:
    from aurora.memory.model.chunks import Chunk
    from aurora.memory.sqlite.store import Store

_TYPES = ("code", "know", "reas")


def remember(store: Store, draft: Chunk) -> tuple[str, bool]:
    """Keep a record that no file holds; no re-indexing touches it.

    Args:
        store: where to.
        draft: its type, kind, symbol, text and metadata; the rest is filled in here.

    Returns:
        Its id, the same for the same type, kind, symbol and text, and whether it is new.

    Raises:
        Fault: INVALID_INPUT for an unknown type, empty text, or metadata that is not JSON.
    """
    if draft.type not in _TYPES:
        raise Fault(
            Code.INVALID_INPUT,
            f'there is no chunk type "{draft.type}"',
            help='use one of "code", "know", "reas"',
            details={"type": draft.type},
        )
    chunk = replace(draft, kind=clean(draft.kind), symbol=clean(draft.symbol), text=clean(draft.text))
    if not chunk.text.strip():
        raise Fault(
            Code.INVALID_INPUT,
            f'the "{chunk.type}" record "{chunk.symbol}" has no text',
            help="give it a text to be found by",
        )
    chunk = replace(chunk, id=identify(chunk.type, chunk.kind, chunk.symbol, " ".join(chunk.text.split())))
    with store.reading() as db:
        if db.chunks.get([chunk.id]):
            return chunk.id, False
    row = row_of(chunk)
    (vector,) = pack_texts([embedded_as(None, chunk.symbol, chunk.text)])
    with store.writing() as db:
        if db.chunks.get([chunk.id]):  # another process may have been faster
            return chunk.id, False
        n = db.chunks.add(row)
        db.records.keep_now(chunk.id)
        lexicon_write.add_one(db, n, chunk)
        if vector is not None:
            db.vectors.put(n, chunk.type, vector)
        db.facts.chunks_changed()
    return chunk.id, True
