"""Selection of result chunks per file, with a discount for further chunks of a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from aurora.memory.embeddings import UNRELATED_COSINE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from aurora.memory.text_index import TextIndex

    from .bm25 import Bm25Scores
    from .files import RankedDocument, ScoreBounds
    from .similarity import Similarities

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
    """Signals of single chunks: BM25F, similarity, symbol match by number."""

    words: Bm25Scores
    near: Similarities
    named: Mapping[int, float]
    wanted: frozenset[int] | None
    """The allowed chunks; None means any."""
    prose: bool


class _ChunkFeatures(NamedTuple):
    """Features of one chunk: BM25F, coverage, cosine, symbol match."""

    n: int
    bm25: float = 0.0
    cover: float = 0.0
    cosine: float = 0.0
    named: float = 0.0

    def compute_score(self, greatest: float) -> float:
        return self.bm25 / greatest + _SIMILARITY_WEIGHT * max(self.cosine, 0.0) + _SYMBOL_WEIGHT * self.named


def select_chunks(
    lexicon: TextIndex, ranked: Sequence[RankedDocument], opinions: ChunkSignals, scale: ScoreBounds
) -> list[SelectedChunk]:
    """Select the result chunks of these documents, unordered.

    Args:
        lexicon: the current text index.
        ranked: documents of one type.
        opinions: signals of single chunks.
        scale: the maximum document scores.
    """
    greatest = float(opinions.words.chunk_score.max(initial=0.0)) or 1.0
    words = _COVERAGE_IN_PROSE if opinions.prose else _COVERAGE_IN_CODE
    return [
        one
        for document in ranked
        for one in _select_from_document(
            document, _collect_features(lexicon, document, opinions), greatest, scale, words
        )
    ]


def _select_from_document(
    document: RankedDocument, looks: Sequence[_ChunkFeatures], greatest: float, scale: ScoreBounds, words: float
) -> Iterator[SelectedChunk]:
    order = sorted(looks, key=lambda look: (-look.compute_score(greatest), look.n))[:MAX_PER_FILE]
    best = order[0].compute_score(greatest) if order else 0.0
    for place, look in enumerate(order):
        share = (
            _SECOND_DISCOUNT * _FURTHER_DISCOUNT ** (place - 1) * look.compute_score(greatest) / (best or 1.0)
            if place
            else 1.0
        )
        fit = 1.0 if look.named >= EXACT_SCORE else words * look.cover + (1 - words) * normalize_cosine(look.cosine)
        value = _scale_score(share, document, look.named, scale)
        yield SelectedChunk(look.n, value, fit, {**document.parts, **({"symbol": look.named} if look.named else {})})


def _scale_score(share: float, document: RankedDocument, named: float, scale: ScoreBounds) -> float:
    """Scale a chunk's score: exact symbols first; those in test files just below."""
    if named < EXACT_SCORE:
        return min(document.score * document.penalty / scale.plain, 1.0) * share * (EXACT_SCORE - 0.01)
    value = min(document.score * document.penalty / scale.named, 1.0) * share * named
    return (EXACT_SCORE - 0.01) * value**0.25 if document.penalty < 1 else EXACT_SCORE + (1 - EXACT_SCORE) * value


def normalize_cosine(cosine: float) -> float:
    """Scale a cosine to 0..1, from unrelated to the same."""
    return min(max((cosine - UNRELATED_COSINE) / (_SAME_COSINE - UNRELATED_COSINE), 0.0), 1.0)


def _collect_features(lexicon: TextIndex, document: RankedDocument, opinions: ChunkSignals) -> list[_ChunkFeatures]:
    """Collect the features of a document's chunks; its first chunk if it has none."""
    first, last = int(lexicon.docs.first_n[document.doc]), int(lexicon.docs.last_n[document.doc])
    words = opinions.words
    said = {
        int(words.chunks[at]): (float(words.chunk_score[at]), float(words.chunk_cover[at])) for at in document.chunks
    }
    numbers, cosines = opinions.near.select_range(first, last)
    near = dict(zip(numbers.tolist(), cosines.tolist(), strict=True))
    named = {n: value for n, value in opinions.named.items() if first <= n <= last}
    known = {*said, *near, *named} or {first}
    wanted = known if opinions.wanted is None else known & opinions.wanted
    return [_ChunkFeatures(n, *said.get(n, (0.0, 0.0)), near.get(n, 0.0), named.get(n, 0.0)) for n in wanted]
