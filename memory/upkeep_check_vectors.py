"""The vectors: one of the right size and type for each chunk, none for a chunk that is gone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .meaning import DIMENSIONS, embedder
from .sqlite.rows import ask
from .upkeep_findings import INDEX, Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    import apsw

WRONG = """
SELECT vectors.n FROM vectors LEFT JOIN chunks USING (n)
WHERE chunks.n IS NULL OR chunks.type != vectors.type OR length(body) NOT IN (0, ?)
"""
"""Numbers of vectors that must not be there; an empty one stands for a text without a word."""


def vector_faults(db: apsw.Connection) -> Iterator[Finding]:
    """Vectors that fit no chunk, and chunks that have none yet."""
    ((wrong,),) = ask(db, f"SELECT count(*) FROM ({WRONG})", (DIMENSIONS,))  # noqa: S608 - a constant
    if wrong:
        yield Finding("vectors", f"{wrong:,} vectors are of chunks that are gone, of another type or of a wrong size")
    ((missing,),) = ask(
        db, "SELECT count(*) FROM chunks WHERE NOT EXISTS (SELECT 1 FROM vectors WHERE vectors.n = chunks.n)"
    )
    if missing and embedder() is not None:
        message = f"{missing:,} chunks have no vector yet, and are found by their words alone"
        yield Finding("vectors", message, INDEX, unfinished=True)
