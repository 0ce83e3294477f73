"""Selection of result chunks per file, with a discount for further chunks of a file."""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, NamedTuple

from aurora.memory.embeddings import UNRELATED_COSINE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from aurora.memory.text_index import TextIndex

    from .rank_files import ScoreBounds
    from .rank_scores import Bm25Scores, RankedDocument, Similarities

EXACT_SCORE = 0.9
"""Minimum score of exact symbols; all others stay below."""


_SAME_COSINE = 0.65
"""A cosine from which two texts mean the same."""

MAX_PER_FILE = 4
"""Maximum number of chunks of one file in a result."""


_SECOND_DISCOUNT, _FURTHER_DISCOUNT = 0.4, 0.8
"""Factor of a second chunk relative to the first, and of each further one relative to the one before."""

_SIMILARITY_WEIGHT = 0.3
"""Weight of similarity relative to terms among the chunks of one file; `_SYMBOL_WEIGHT` is that of an exact symbol."""

_SYMBOL_WEIGHT = 2.0

_COVERAGE_IN_CODE, _COVERAGE_IN_PROSE = 0.7, 0.4
"""Weight of term coverage in the fit of a chunk; similarity has the rest."""


class SelectedChunk(NamedTuple):
    """Selected chunk of a result.

    Attributes:
        score: 0..1, comparable with other chunks of its type.
        fit: 0..1, absolute match with the query.
        parts: the signals of its file, each in 0..1, and its own symbol match.
    """

    n: int
    score: float
    fit: float
    parts: Mapping[str, float]


class ChunkSignals(NamedTuple):
    """Signals of single chunks: BM25F, similarity, symbol match by number.

    Attributes:
        allowed: the chunks that may be in the result; None means any.
        prose: True for documents and records.
    """

    scores: Bm25Scores
    near: Similarities
    symbols: Mapping[int, float]
    allowed: frozenset[int] | None
    prose: bool


class _ChunkFeatures(NamedTuple):
    """Features of one chunk: BM25F, coverage, cosine, symbol match."""

    n: int
    bm25: float = 0.0
    coverage: float = 0.0
    cosine: float = 0.0
    symbol: float = 0.0


def select_chunks(
    index: TextIndex, ranked: Sequence[RankedDocument], signals: ChunkSignals, bounds: ScoreBounds
) -> list[SelectedChunk]:
    """Select the result chunks of these documents, unordered.

    Args:
        index: the current text index.
        ranked: documents of one type.
        signals: signals of single chunks.
        bounds: the maximum document scores.
    """
    greatest = float(signals.scores.chunk_score.max(initial=0.0)) or 1.0
    coverage_weight = _COVERAGE_IN_PROSE if signals.prose else _COVERAGE_IN_CODE
    selected: list[SelectedChunk] = []
    for document in ranked:
        scored = _score_chunks(index, document, signals, greatest)
        selected += _select_from_document(document, scored, bounds, coverage_weight)
    return selected


def _score_chunks(
    index: TextIndex, document: RankedDocument, signals: ChunkSignals, greatest: float
) -> list[tuple[float, _ChunkFeatures]]:
    """Return the best chunks of a document, each with its score, best first.

    A document without features has its first chunk.

    Args:
        index: the current text index.
        document: a document.
        signals: signals of single chunks.
        greatest: the best BM25F of all chunks.
    """
    first, last = int(index.docs.first_n[document.doc]), int(index.docs.last_n[document.doc])
    scores = signals.scores
    terms = {
        int(scores.chunks[place]): (float(scores.chunk_score[place]), float(scores.chunk_cover[place]))
        for place in document.chunks
    }
    numbers, cosines = signals.near.select_range(first, last)
    near = dict(zip(numbers.tolist(), cosines.tolist(), strict=True))
    symbols = {n: value for n, value in signals.symbols.items() if first <= n <= last}
    values = {n: _SIMILARITY_WEIGHT * max(cosine, 0.0) for n, cosine in near.items()}
    for n, (bm25, _) in terms.items():
        values[n] = bm25 / greatest + values.get(n, 0.0)
    for n, symbol in symbols.items():
        values[n] = values.get(n, 0.0) + _SYMBOL_WEIGHT * symbol
    values = values or {first: 0.0}
    if signals.allowed is not None:
        values = {n: value for n, value in values.items() if n in signals.allowed}
    best = heapq.nsmallest(MAX_PER_FILE, ((-value, n) for n, value in values.items()))
    return [
        (-value, _ChunkFeatures(n, *terms.get(n, (0.0, 0.0)), near.get(n, 0.0), symbols.get(n, 0.0)))
        for value, n in best
    ]


def _select_from_document(
    document: RankedDocument,
    scored: Sequence[tuple[float, _ChunkFeatures]],
    bounds: ScoreBounds,
    coverage_weight: float,
) -> Iterator[SelectedChunk]:
    best = scored[0][0] if scored else 0.0
    for place, (score, chunk) in enumerate(scored):
        share = _SECOND_DISCOUNT * _FURTHER_DISCOUNT ** (place - 1) * score / (best or 1.0) if place else 1.0
        parts = {**document.parts, "symbol": chunk.symbol} if chunk.symbol else document.parts
        value = _scale_score(share, document, chunk.symbol, bounds)
        yield SelectedChunk(chunk.n, value, _compute_fit(chunk, coverage_weight), parts)


def _compute_fit(chunk: _ChunkFeatures, coverage_weight: float) -> float:
    """Return the absolute match of a chunk with the query, 0..1."""
    if chunk.symbol >= EXACT_SCORE:
        return 1.0
    return coverage_weight * chunk.coverage + (1 - coverage_weight) * normalize_cosine(chunk.cosine)


def _scale_score(share: float, document: RankedDocument, symbol: float, bounds: ScoreBounds) -> float:
    """Scale a chunk's score: exact symbols first; those in test files just below."""
    if symbol < EXACT_SCORE:
        return min(document.score * document.penalty / bounds.plain, 1.0) * share * (EXACT_SCORE - 0.01)
    value = min(document.score * document.penalty / bounds.named, 1.0) * share * symbol
    return (EXACT_SCORE - 0.01) * value**0.25 if document.penalty < 1 else EXACT_SCORE + (1 - EXACT_SCORE) * value


def normalize_cosine(cosine: float) -> float:
    """Scale a cosine to 0..1, from unrelated to the same."""
    return min(max((cosine - UNRELATED_COSINE) / (_SAME_COSINE - UNRELATED_COSINE), 0.0), 1.0)
