"""Registry of the ranking signals; a new signal is one file and one line here.

Each weight is here because NDCG@10 falls without it on most of the code bases of `make bench-quality`, and each is a
round number, since the second digit makes no difference.
"""

from __future__ import annotations

from .best_chunks import BEST_CHUNKS
from .coverage import COVERAGE
from .file_name import FILE_NAME
from .file_score import FILE_SCORE
from .namesake import NAMESAKE
from .path_score import PATH_SCORE
from .signal import CandidateSignal, SimilaritySignal, TermSignal
from .similarity import SIMILARITY
from .size import SIZE
from .symbol import SYMBOL

SIGNALS = (
    FILE_SCORE,
    BEST_CHUNKS,
    COVERAGE,
    PATH_SCORE,
    FILE_NAME,
    SIZE,
    SIMILARITY,
    NAMESAKE,
    SYMBOL,
)

TERM_SIGNALS = tuple(signal for signal in SIGNALS if isinstance(signal, TermSignal))
CANDIDATE_SIGNALS = tuple(signal for signal in SIGNALS if isinstance(signal, CandidateSignal))
SIMILARITY_SIGNALS = tuple(signal for signal in SIGNALS if isinstance(signal, SimilaritySignal))
