"""Ranking of files and chunks by terms, symbols and similarity."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .bm25 import Bm25Scores, score_bm25f
    from .chunks import EXACT_SCORE, MAX_PER_FILE, ChunkSignals, SelectedChunk, select_chunks
    from .files import RankedDocument, explain_score
    from .occurrences import VisibleScope, find_occurrences
    from .similarity import Similarities

__all__ = [
    "EXACT_SCORE",
    "MAX_PER_FILE",
    "Bm25Scores",
    "ChunkSignals",
    "RankedDocument",
    "SelectedChunk",
    "Similarities",
    "VisibleScope",
    "explain_score",
    "find_occurrences",
    "score_bm25f",
    "select_chunks",
]

__getattr__ = export_lazily(
    __name__,
    {
        "bm25": ["Bm25Scores", "score_bm25f"],
        "chunks": ["ChunkSignals", "EXACT_SCORE", "MAX_PER_FILE", "SelectedChunk", "select_chunks"],
        "files": ["RankedDocument", "explain_score"],
        "occurrences": ["VisibleScope", "find_occurrences"],
        "similarity": ["Similarities"],
    },
)
