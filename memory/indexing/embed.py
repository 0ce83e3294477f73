"""Embedding of chunks without a vector, the last step of indexing; until then words find them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.memory.embeddings import embed_quantized, get_embedder
from aurora.memory.model import format_embedding_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from aurora.memory.storage import Store

BATCH_CHUNKS = 2000
"""Chunks of one transaction; a kill loses the work on one transaction."""


def embed_missing(store: Store, report: Callable[[str], None]) -> int:
    """Embed the chunks without a vector; do nothing without an embedder.

    Args:
        store: the open database.
        report: receives a progress message after each batch.

    Returns:
        The number of embedded chunks.
    """
    with store.begin_read() as db:
        missing = db.vectors.count_missing()
    if missing <= 0 or get_embedder() is None:
        return 0
    done, last = 0, 1 << 62
    while done < missing:
        with store.begin_read() as db:
            rows = db.vectors.list_unembedded(last, min(BATCH_CHUNKS, missing - done))
        if not rows:
            break  # another process was faster
        vectors = embed_quantized([format_embedding_text(path, symbol, text) for _, _, path, symbol, text in rows])
        with store.begin_write() as db:
            alive = db.chunks.find_existing_numbers(rows[-1][0], rows[0][0])
            for (n, type_, *_), body in zip(rows, vectors, strict=True):
                if n in alive:
                    db.vectors.insert(n, type_, body or b"")
            db.meta.bump_generation()
        done += len(rows)
        last = rows[-1][0]
        report(f"embedded {done:,} of {missing:,} chunks")
    return done
