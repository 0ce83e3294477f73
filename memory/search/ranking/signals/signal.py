"""Types of ranking signals: by terms, by candidate, by similarity."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from aurora.memory.model.chunks import ChunkType
    from aurora.memory.search.query import Query, QueryKind
    from aurora.memory.search.ranking.best_chunks import BestChunks
    from aurora.memory.search.ranking.bm25 import Bm25Scores
    from aurora.memory.search.ranking.similarity import Similarities
    from aurora.memory.text_index import TextIndex

    Floats = NDArray[np.float32]


class TermInputs(NamedTuple):
    """Inputs of a term signal: BM25F scores of one type, best chunks per document, the query."""

    text_index: TextIndex
    scores: Bm25Scores
    best: BestChunks
    query: Query


class CandidateInputs(NamedTuple):
    """Inputs of a candidate signal: path, query, match of a defined symbol (0..1)."""

    path: str
    query: Query
    symbol_match: float


class SimilarityInputs(NamedTuple):
    """Inputs of a similarity signal: positions of the candidates, and cosines of their chunks."""

    text_index: TextIndex
    documents: Sequence[int]
    near: Similarities


class TermSignal(NamedTuple):
    """Signal of all documents, from term scores; these signals nominate the candidates.

    Attributes:
        name: its key in `Hit.parts`.
        weight: its weight in the score of a file.
        compute: returns one value in 0..1 per document of the text index.
        report_weight: its weight when the query is a report.
    """

    name: str
    weight: float
    compute: Callable[[TermInputs], Floats]
    report_weight: float = 0.0


class CandidateSignal(NamedTuple):
    """Signal of a single candidate.

    Attributes:
        name: its key in `Hit.parts`.
        weight: its weight in the score of a file.
        compute: returns the value of one candidate in 0..1.
        needs_name: True when only a document that matches a name of the query can have it.
        report_weight: its weight when the query is a report.
    """

    name: str
    weight: float
    compute: Callable[[CandidateInputs], float]
    needs_name: bool = False
    report_weight: float = 0.0


class SimilaritySignal(NamedTuple):
    """Signal of all candidates, from the cosines of their chunks.

    Attributes:
        name: its key in `Hit.parts`.
        weight: its weight in the score of a file of code.
        compute: returns one value in 0..1 per candidate, in their order.
        prose_weight: its weight in the score of a document or record.
        report_weight: its weight when the query is a report.
    """

    name: str
    weight: float
    compute: Callable[[SimilarityInputs], Sequence[float]]
    prose_weight: float
    report_weight: float = 0.0


def get_weight(signal: TermSignal | CandidateSignal | SimilaritySignal, type_: ChunkType, kind: QueryKind) -> float:
    """Return the weight of a signal for this chunk type and kind of query."""
    if kind == "report":
        return signal.report_weight
    if isinstance(signal, SimilaritySignal) and type_ != "code":
        return signal.prose_weight
    return signal.weight
