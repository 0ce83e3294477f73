"""Places of files: the value of each chunk of the candidate files, and the hits that they make."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from aurora.memory.embeddings import UNRELATED_COSINE

from .material import SelectedChunk
from .scores import mark_first_of_groups

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from aurora.memory.model.chunks import ChunkType

    from .material import Match, Material, RankedFile, Weights
    from .scores import Bm25Scores, Similarities

    Floats = NDArray[np.float64]
    Numbers = NDArray[np.int64]

EXACT_SCORE = 0.9
"""Least score of a chunk that defines a name of the query; all others stay below."""

MAX_PER_FILE = 4
"""Most chunks of one file in a result."""


_KIND_FACTORS = {
    **dict.fromkeys(("module", "namespace"), 0.6),
    **dict.fromkeys(("class", "struct", "interface", "trait", "impl", "enum", "type", "union", "record"), 0.7),
    "constant": 0.8,
}
"""Factor on a chunk's value by kind: the head of a class has its words, and its methods do the work."""

_SECOND_CHUNK, _FURTHER_CHUNK = 0.6, 0.9
"""Factor on the value of a file's second chunk, and of each further one relative to the one before."""

_MATCH_WEIGHT = 2.0
"""Of a defined name, a literal or a page that was asked for; more than all other signals of a chunk together."""

_COVERAGE_IN_CODE, _COVERAGE_IN_PROSE = 0.7, 0.4
"""Weight of term coverage in the fit of a chunk; similarity has the rest."""
_SAME_COSINE = 0.65
"""A cosine from which two texts mean the same."""
_GREATEST_COSINE = 0.7
"""What the cosine of a question and its answer rarely exceeds, to scale scores to 0..1."""
_LONG_CHUNK = 1200
"""Terms of a chunk that is as long as any, to scale scores to 0..1."""
_TERMS_PER_LINE = 6


class PlaceSignals(NamedTuple):
    """Signals by which the chunks of one type are valued.

    Attributes:
        type: the chunk type.
        scores: BM25F scores.
        cosines: similarities of the chunks of the candidate files.
        weights: of this type and kind of query.
        strength: the factor of the term signals.
    """

    type: ChunkType
    scores: Bm25Scores
    cosines: Similarities
    weights: Weights
    strength: float


class _Place(NamedTuple):
    """A chunk with what it holds."""

    n: int
    text: float
    coverage: float
    cosine: float
    length: float
    match: float


def select_places(material: Material, files: Sequence[RankedFile], signals: PlaceSignals) -> list[SelectedChunk]:
    """Select the best chunks of each file, and join what the file promises with what they hold."""
    found = dict(_find_places(material, files, signals))
    numbers = [place.n for places in found.values() for place in places] if signals.type == "code" else []
    factors = {n: _KIND_FACTORS.get(kind, 1.0) for n, _, kind, _ in material.db.chunks.iter_names(numbers)}
    selected: list[SelectedChunk] = []
    for file in files:
        valued = [(_value(place, signals) * factors.get(place.n, 1.0), place) for place in found.get(file.doc, ())]
        valued.sort(key=lambda one: (-one[0] - _MATCH_WEIGHT * one[1].match, one[1].n))
        selected += _join_places(file, valued[:MAX_PER_FILE], signals, material.matches)
    return selected


def _find_places(
    material: Material, files: Sequence[RankedFile], signals: PlaceSignals
) -> Iterator[tuple[int, list[_Place]]]:
    """Yield the best chunks of each file, before their kinds are known; its first one counts always."""
    index, scores, visible = material.text_index, signals.scores, material.visible.chunks
    docs = np.array([file.doc for file in files], np.int64)
    named = np.array([n for n in material.matches if index.find_document(n) is not None], np.int64)
    known = np.sort(np.concatenate([signals.cosines.numbers, scores.chunks, named, index.docs.first_n[docs]]))
    known = known[np.diff(known, prepend=-1) != 0]  # not `unique`, which imports all of numpy.ma
    numbers = known[np.isin(index.doc_at[known], docs)]
    if visible is not None:
        numbers = numbers[np.isin(numbers, visible)]
    if not len(numbers):
        return
    text, coverage, cosine, match = (np.zeros(len(numbers)) for _ in range(4))
    _fill(numbers, scores.chunks, (text, scores.chunk_score), (coverage, scores.chunk_cover))
    _fill(numbers, signals.cosines.numbers, (cosine, signals.cosines.cosines))
    _fill(numbers, named, (match, np.array([material.matches[n].value for n in named.tolist()])))
    text /= float(scores.chunk_score.max(initial=0.0)) or 1.0
    length = np.log1p(index.get_lengths(numbers) / _TERMS_PER_LINE)
    owner = index.doc_at[numbers].astype(np.int64)
    weights = signals.weights
    value = signals.strength * text + weights.cosine * cosine.clip(0) + weights.length * length
    order = np.lexsort((-(value + _MATCH_WEIGHT * match), owner))
    order = order[mark_first_of_groups(owner[order], 2 * MAX_PER_FILE)]
    rows = np.stack([text, coverage, cosine, length, match])[:, order].T.tolist()
    places = [_Place(n, *row) for n, row in zip(numbers[order].tolist(), rows, strict=True)]
    starts = np.flatnonzero(np.diff(owner[order], prepend=-1)).tolist()
    for start, end in zip(starts, [*starts[1:], len(places)], strict=True):
        yield int(owner[order[start]]), places[start:end]


def _fill(numbers: Numbers, known: Numbers, *columns: tuple[Floats, NDArray[np.floating]]) -> None:
    """Write the values of known chunks, whose numbers rise, into columns of more chunks."""
    order = np.argsort(known, kind="stable")
    places = np.searchsorted(numbers, known[order])
    inside = places < len(numbers)
    inside[inside] &= numbers[places[inside]] == known[order][inside]
    for column, values in columns:
        column[places[inside]] = values[order][inside]


def _value(place: _Place, signals: PlaceSignals) -> float:
    """Return what a chunk holds, before the factor of its kind."""
    return sum(_list_parts(place, signals).values())


def _list_parts(place: _Place, signals: PlaceSignals) -> dict[str, float]:
    weights = signals.weights
    return {
        "text": signals.strength * place.text,
        "cosine": weights.cosine * max(place.cosine, 0.0),
        "length": weights.length * place.length,
    }


def _join_places(
    file: RankedFile, valued: Sequence[tuple[float, _Place]], signals: PlaceSignals, matches: Mapping[int, Match]
) -> Iterator[SelectedChunk]:
    bound = _compute_bound(signals.weights, signals.strength)
    cover_weight = _COVERAGE_IN_CODE if signals.type == "code" else _COVERAGE_IN_PROSE
    discount = 1.0
    for rank, (value, place) in enumerate(valued):
        if rank:
            discount *= _SECOND_CHUNK if rank == 1 else _FURTHER_CHUNK
        share = (signals.weights.prior * file.prior + discount * value) / bound
        score = _scale_score(min(share * file.penalty, 1.0), discount, place.match, file.penalty)
        parts = {**file.parts, **_list_parts(place, signals)}
        if place.match:
            parts[matches[place.n].why] = place.match
        shown = {name: part for name, part in parts.items() if part > 0}
        yield SelectedChunk(place.n, score, _compute_fit(place, cover_weight), place.coverage, place.match, shown)


def _compute_bound(weights: Weights, strength: float) -> float:
    """Return about the greatest sum that a chunk can have, so that scores are in 0..1."""
    terms = weights.file + weights.chunks + weights.top + weights.path + weights.mention
    prior = strength * terms + weights.stem + weights.meaning
    length = weights.length * math.log1p(_LONG_CHUNK / _TERMS_PER_LINE)
    return weights.prior * prior + strength + weights.cosine * _GREATEST_COSINE + length


def _scale_score(share: float, discount: float, match: float, penalty: float) -> float:
    """Scale a chunk's share of the greatest sum: exact symbols first; those in test files just below."""
    if match < EXACT_SCORE:
        return share * (EXACT_SCORE - 0.01)
    value = share * discount * match
    return (EXACT_SCORE - 0.01) * value**0.25 if penalty < 1 else EXACT_SCORE + (1 - EXACT_SCORE) * value


def _compute_fit(place: _Place, coverage_weight: float) -> float:
    """Return the absolute match of a chunk with the query, 0..1."""
    if place.match >= EXACT_SCORE:
        return 1.0
    return coverage_weight * place.coverage + (1 - coverage_weight) * normalize_cosine(place.cosine)


def normalize_cosine(cosine: float) -> float:
    """Scale a cosine to 0..1, from unrelated to the same."""
    return min(max((cosine - UNRELATED_COSINE) / (_SAME_COSINE - UNRELATED_COSINE), 0.0), 1.0)
