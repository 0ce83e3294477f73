"""Ranking signals of files, one module each, and their registry."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .registry import CANDIDATE_SIGNALS, SIGNALS, SIMILARITY_SIGNALS, TERM_SIGNALS, get_weights
    from .signal import CandidateInputs, CandidateSignal, SimilarityInputs, TermInputs, TermSignal
    from .symbol import SYMBOL

__all__ = [
    "CANDIDATE_SIGNALS",
    "SIGNALS",
    "SIMILARITY_SIGNALS",
    "SYMBOL",
    "TERM_SIGNALS",
    "CandidateInputs",
    "CandidateSignal",
    "SimilarityInputs",
    "TermInputs",
    "TermSignal",
    "get_weights",
]

__getattr__ = export_lazily(
    __name__,
    {
        "registry": ["CANDIDATE_SIGNALS", "SIGNALS", "SIMILARITY_SIGNALS", "TERM_SIGNALS", "get_weights"],
        "signal": ["CandidateInputs", "CandidateSignal", "SimilarityInputs", "TermInputs", "TermSignal"],
        "symbol": ["SYMBOL"],
    },
)
