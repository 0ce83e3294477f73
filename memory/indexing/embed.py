"""The last part of indexing: vectors for the chunks that have none; until then they are found by their words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.memory.embeddings import embed_quantized, get_embedder
from aurora.memory.model import format_embedding_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from aurora.memory.storage import Store

BATCH_CHUNKS = 2000
"""Chunks of one transaction; a kill loses the work on one."""


def embed_missing(store: Store, tell: Callable[[str], None]) -> int:
    """Embed what has no vector yet; how many chunks that were. Nothing without an embedder.

    Args:
        store: with chunks in it.
        tell: told how far it is, after each batch.
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
        tell(f"embedded {done:,} of {missing:,} chunks")
    return done
