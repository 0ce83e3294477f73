"""A file on its way into the tables: what is known of it, and what became of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .rows import ChunkRow
    from .symbols import GraphFacts

FileFingerprint = tuple[int, int, str]
"""Size in bytes, modification time in nanoseconds, SHA-256 of a file as it was indexed."""


@dataclass(frozen=True, slots=True)
class ParsedFile:
    """File as the tables store it.

    Attributes:
        parsed: False when its grammar found errors, or when there is no grammar, and it became plain text.
        rows: its chunks as their table takes them; None when the content is what is stored already, and only the
            time has changed.
        left_out: line numbers and kinds of the secrets that are left out.
        graph: its part in the code graph; None for what has no structure.
        vectors: known embeddings of its chunks by id; None for a file that was parsed.
    """

    path: str
    language: str
    size: int
    mtime_ns: int
    sha256: str
    parsed: bool
    rows: tuple[ChunkRow, ...] | None
    graph: GraphFacts | None = None
    left_out: tuple[tuple[int, str], ...] = ()
    vectors: Mapping[str, bytes] | None = None
