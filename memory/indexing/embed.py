"""The last part of indexing: vectors for the chunks that have none; until then they are found by their words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.memory.embeddings.embedder import embedder, pack_texts
from aurora.memory.model.rows import embedded_as

if TYPE_CHECKING:
    from collections.abc import Callable

    from aurora.memory.sqlite.store import Store

BATCH = 2000
"""Chunks of one transaction; a kill loses the work on one."""


def embed(store: Store, tell: Callable[[str], None]) -> int:
    """Embed what has no vector yet; how many chunks that were. Nothing without an embedder.

    Args:
        store: with chunks in it.
        tell: told how far it is, after each batch.
    """
    with store.reading() as db:
        missing = db.vectors.missing()
    if missing <= 0 or embedder() is None:
        return 0
    done, last = 0, 1 << 62
    while done < missing:
        with store.reading() as db:
            rows = db.vectors.without(last, min(BATCH, missing - done))
        if not rows:
            break  # another process was faster
        vectors = pack_texts([embedded_as(path, symbol, text) for _, _, path, symbol, text in rows])
        with store.writing() as db:
            alive = db.chunks.alive(rows[-1][0], rows[0][0])
            for (n, type_, *_), body in zip(rows, vectors, strict=True):
                if n in alive:
                    db.vectors.put(n, type_, body or b"")
            db.facts.chunks_changed()
        done += len(rows)
        last = rows[-1][0]
        tell(f"embedded {done:,} of {missing:,} chunks")
    return done
