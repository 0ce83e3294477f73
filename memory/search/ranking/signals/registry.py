"""Registry of the ranking signals; a new signal is one file and one line here.

Each weight is here because NDCG@10 falls without it on most of the code bases of `make bench-quality`, and each is a
round number, since the second digit makes no difference.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from .best_chunks import BEST_CHUNKS
from .coverage import COVERAGE
from .file_name import FILE_NAME
from .file_score import FILE_SCORE
from .mention import MENTION
from .namesake import NAMESAKE
from .path_score import PATH_SCORE
from .signal import CandidateSignal, SimilaritySignal, TermSignal, get_weight
from .similarity import SIMILARITY
from .size import SIZE
from .symbol import SYMBOL
from .top_chunk import TOP_CHUNK
from .top_chunks import TOP_CHUNKS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aurora.memory.model.chunks import ChunkType
    from aurora.memory.search.query import QueryKind

SIGNALS = (
    FILE_SCORE,
    BEST_CHUNKS,
    TOP_CHUNKS,
    TOP_CHUNK,
    COVERAGE,
    PATH_SCORE,
    FILE_NAME,
    SIZE,
    SIMILARITY,
    NAMESAKE,
    MENTION,
    SYMBOL,
)

TERM_SIGNALS = tuple(signal for signal in SIGNALS if isinstance(signal, TermSignal))
CANDIDATE_SIGNALS = tuple(signal for signal in SIGNALS if isinstance(signal, CandidateSignal))
SIMILARITY_SIGNALS = tuple(signal for signal in SIGNALS if isinstance(signal, SimilaritySignal))


@lru_cache
def get_weights(type_: ChunkType, kind: QueryKind) -> Mapping[str, float]:
    """Return the weights of the signals that count for this chunk type and kind of query, by name."""
    weights = {signal.name: get_weight(signal, type_, kind) for signal in SIGNALS}
    return {name: weight for name, weight in weights.items() if weight}
