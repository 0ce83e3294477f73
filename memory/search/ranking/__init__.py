"""Ranking of files and chunks by terms, symbols and similarity."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .bm25 import Bm25Scores, score_bm25f
    from .chunks import EXACT_SCORE, MAX_PER_FILE, ChunkSignals, SelectedChunk, select_chunks
    from .document import RankedDocument
    from .files import (
        ScoreBounds,
        Subject,
        add_similarity_signals,
        apply_penalty,
        compute_max_scores,
        compute_term_strength,
        explain_score,
        rank_by_terms,
        score_vector_candidate,
    )
    from .occurrences import VisibleScope, find_occurrences, weigh_occurrences
    from .similarity import (
        Similarities,
        combine_similarities,
        compute_similarities,
        create_empty_similarities,
        select_candidate_chunks,
    )
    from .symbols import confirm_name, extract_name_terms, find_definitions

__all__ = [
    "EXACT_SCORE",
    "MAX_PER_FILE",
    "Bm25Scores",
    "ChunkSignals",
    "RankedDocument",
    "ScoreBounds",
    "SelectedChunk",
    "Similarities",
    "Subject",
    "VisibleScope",
    "add_similarity_signals",
    "apply_penalty",
    "combine_similarities",
    "compute_max_scores",
    "compute_similarities",
    "compute_term_strength",
    "confirm_name",
    "create_empty_similarities",
    "explain_score",
    "extract_name_terms",
    "find_definitions",
    "find_occurrences",
    "rank_by_terms",
    "score_bm25f",
    "score_vector_candidate",
    "select_candidate_chunks",
    "select_chunks",
    "weigh_occurrences",
]

__getattr__ = export_lazily(
    __name__,
    {
        "bm25": ["Bm25Scores", "score_bm25f"],
        "chunks": ["ChunkSignals", "EXACT_SCORE", "MAX_PER_FILE", "SelectedChunk", "select_chunks"],
        "document": ["RankedDocument"],
        "files": [
            "ScoreBounds",
            "Subject",
            "add_similarity_signals",
            "apply_penalty",
            "compute_max_scores",
            "compute_term_strength",
            "explain_score",
            "rank_by_terms",
            "score_vector_candidate",
        ],
        "occurrences": ["VisibleScope", "find_occurrences", "weigh_occurrences"],
        "similarity": [
            "Similarities",
            "combine_similarities",
            "compute_similarities",
            "create_empty_similarities",
            "select_candidate_chunks",
        ],
        "symbols": ["confirm_name", "extract_name_terms", "find_definitions"],
    },
)
