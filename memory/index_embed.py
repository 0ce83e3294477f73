"""The last part of indexing: vectors for the chunks that have none; until then they are found by their words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import store_chunks
from .meaning import embedder, pack_texts
from .sqlite.rows import ask
from .store_record import embedded_as

if TYPE_CHECKING:
    from collections.abc import Callable

    from .sqlite.store import Store

BATCH = 2000
"""Chunks of one transaction; a kill loses the work on one."""

_WITHOUT = """
SELECT n, type, path, symbol, text FROM chunks
WHERE n < ? AND NOT EXISTS (SELECT 1 FROM vectors WHERE vectors.n = chunks.n) ORDER BY n DESC LIMIT ?
"""
"""The newest first, no more than are missing: after one edit, the chunks of a whole project are not looked through."""


def embed(store: Store, tell: Callable[[str], None]) -> int:
    """Embed what has no vector yet; how many chunks that were. Nothing without an embedder.

    Args:
        store: with chunks in it.
        tell: told how far it is, after each batch.
    """
    with store.reading() as db:
        ((missing,),) = ask(db, "SELECT (SELECT count(*) FROM chunks) - (SELECT count(*) FROM vectors)")
    if missing <= 0 or embedder() is None:
        return 0
    done, last = 0, 1 << 62
    while done < missing:
        with store.reading() as db:
            rows = ask(db, _WITHOUT, (last, min(BATCH, missing - done)))
        if not rows:
            break  # another process was faster
        vectors = pack_texts([embedded_as(path, symbol, text) for _, _, path, symbol, text in rows])
        with store.writing() as db:
            alive = {n for (n,) in ask(db, "SELECT n FROM chunks WHERE n BETWEEN ? AND ?", (rows[-1][0], rows[0][0]))}
            for (n, type_, *_), body in zip(rows, vectors, strict=True):
                if n in alive:
                    store_chunks.place_vector(db, n, type_, body or b"")
            store_chunks.changed(db)
        done += len(rows)
        last = rows[-1][0]
        tell(f"embedded {done:,} of {missing:,} chunks")
    return done
