"""Check of the vectors: one per chunk, with the right size and type."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.memory.embeddings import DIMENSIONS, get_embedder

from .findings import INDEX_COMMAND, Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.memory.storage import Tables


def check_vectors(db: Tables) -> Iterator[Finding]:
    """Yield vectors without a chunk and chunks without a vector."""
    wrong = db.damage.count_wrong_vectors(DIMENSIONS)
    if wrong:
        yield Finding("vectors", f"{wrong:,} vectors have a missing chunk, a wrong type or a wrong size")
    missing = db.damage.count_unembedded_chunks()
    if missing and get_embedder() is not None:
        message = f"{missing:,} chunks have no vector yet; search finds them by their words only"
        yield Finding("vectors", message, INDEX_COMMAND, unfinished=True)
