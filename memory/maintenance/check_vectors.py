"""The vectors: one of the right size and type for each chunk, none for a chunk that is gone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.memory.embeddings import DIMENSIONS, get_embedder

from .findings import INDEX_COMMAND, Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.memory.sqlite.tables import Tables


def check_vectors(db: Tables) -> Iterator[Finding]:
    """Vectors that fit no chunk, and chunks that have none yet."""
    wrong = db.damage.count_wrong_vectors(DIMENSIONS)
    if wrong:
        yield Finding("vectors", f"{wrong:,} vectors are of chunks that are gone, of another type or of a wrong size")
    missing = db.damage.count_unembedded_chunks()
    if missing and get_embedder() is not None:
        message = f"{missing:,} chunks have no vector yet, and are found by their words alone"
        yield Finding("vectors", message, INDEX_COMMAND, unfinished=True)
