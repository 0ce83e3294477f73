"""What the memory is told rather than finds in files: reasoning patterns, cached results, facts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..faults import Code, Fault
from . import store_chunks
from .documents import clean, dumped
from .meaning import embed_one
from .model import Chunk

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .model import ChunkType
    from .store import Store


def remember(
    store: Store, *, type_: ChunkType, kind: str, symbol: str, text: str, metadata: Mapping[str, Any]
) -> tuple[str, bool]:
    """Keep a record that no file holds; no re-indexing touches it.

    Returns:
        Its id, the same for the same type, kind, symbol and text, and whether it is new.

    Raises:
        Fault: INVALID_INPUT for an unknown type, empty text, or metadata that is not JSON.
    """
    if type_ not in {"code", "know", "reas"}:
        raise Fault(
            Code.INVALID_INPUT,
            f'there is no chunk type "{type_}"',
            help='use one of "code", "know", "reas"',
            details={"type": type_},
        )
    kind, symbol, text = clean(kind), clean(symbol), clean(text)
    if not text.strip():
        raise Fault(
            Code.INVALID_INPUT, f'the {type_} record "{symbol}" has no text', help="give it a text to be found by"
        )
    id_ = store_chunks.identify(type_, kind, symbol, " ".join(text.split()))
    kept = dumped(metadata)
    with store.reading() as db:
        if store_chunks.get(db, [id_]):
            return id_, False
    chunk = Chunk(id_, type_, None, 0, 0, symbol, kind, "", text)
    vector = embed_one(f"{symbol}\n{text}")
    with store.writing() as db:
        if store_chunks.get(db, [id_]):  # another process may have been faster
            return id_, False
        store_chunks.insert(db, chunk, kept, vector)
        store_chunks.changed(db)
    return id_, True
