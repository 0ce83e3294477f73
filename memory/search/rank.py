"""Ranker of one type of chunk: places, not files, in steps that `rank_type` names in order.

A hit's score is what its file promises plus what its own text holds, times the roles of the file. Each weight is here
because a set of labelled questions loses without it; they are round, since a second digit makes no difference.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from aurora.memory.files import ROLE_PENALTIES
from aurora.memory.text_index.tokens import extract_terms

from .material import RankedFile, Weights
from .mentions import score_mentions
from .places import PlaceSignals, select_places
from .rank_terms import find_occurrences, weigh_occurrences
from .scores import (
    combine_similarities,
    compute_similarities,
    create_empty_similarities,
    find_best_chunks,
    mark_first_of_groups,
    score_bm25f,
    select_candidate_chunks,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from aurora.memory.model.chunks import ChunkType
    from aurora.memory.text_index import TextIndex

    from .material import Material, SelectedChunk
    from .query import Query
    from .scores import BestChunks, Bm25Scores, Similarities

    Floats = NDArray[np.float32]

WEIGHTS: Mapping[str, Weights] = {
    "code": Weights(),
    "prose": Weights(meaning=1.0, cosine=1.2),  # prose says the same in many words, so that words say less
    "report": Weights(chunks=0.0, top=0.5, path=0.0, stem=0.0, mention=0.2, meaning=0.0, prior=3.0),
}

_MAX_CANDIDATES = 60
_FIRST_CANDIDATES = _MAX_CANDIDATES + _MAX_CANDIDATES // 4
"""Files that the term signals nominate, before the others are computed for them."""

_TOP_SIMILAR = 3
"""Nearest chunks of a file that count for its meaning."""

_COVERAGE_POWER = 2


class PartRules(NamedTuple):
    """Rules for the documents of one type that have a file, or for those that have none.

    Attributes:
        candidates: number of candidates from the vector index alone.
        least_cosine: the cosine that these exceed.
        are_records: True for records, whose terms count less, the less of the question they cover.
    """

    candidates: int
    least_cosine: float
    are_records: bool


def rank_type(material: Material, type_: ChunkType, rules: PartRules) -> tuple[list[RankedFile], list[SelectedChunk]]:
    """Rank the visible part of one type; return its candidate files, and chunks of them with scores, 0..1."""
    weights = get_weights(type_, material.query.kind)
    scores = _score_terms(material, type_)
    strength = _compute_strength(material, scores, rules)
    files = _nominate_by_terms(material, type_, scores, weights, strength)
    files += _nominate_by_vectors(material, type_, rules, {file.doc for file in files})
    cosines = _compare_meanings(material, type_, scores, files)
    nearer = (
        material.record_cosines.select(cosines.numbers) if material.record_cosines and rules.are_records else cosines
    )
    _add_meanings(material, files, nearer, weights)
    _apply_roles(material, type_, files)
    if nearer is not cosines:
        cosines = combine_similarities(cosines, nearer)
    return files, select_places(material, files, PlaceSignals(type_, scores, cosines, weights, strength))


@lru_cache
def get_weights(type_: ChunkType, kind: str) -> Weights:
    """Return the weights for this type of chunk and kind of query."""
    return WEIGHTS["report" if kind == "report" else "code" if type_ == "code" else "prose"]


def _score_terms(material: Material, type_: ChunkType) -> Bm25Scores:
    number = material.text_index.types.index(type_)
    words, word_weights = material.query.words, material.query.weights
    occurrences = find_occurrences(material.text_index, material.postings, words, number, material.visible)
    if word_weights:
        occurrences = weigh_occurrences(occurrences, words, word_weights)
    return score_bm25f(material.text_index, number, occurrences)


def _compute_strength(material: Material, scores: Bm25Scores, rules: PartRules) -> float:
    """Return the factor of the term signals of records, from the best coverage of the question, 0..1.

    Term signals are relative to the best document, so that one chance word would rank a record before all those that
    answer in other words. The power has the best figures of `make bench-facts`.
    """
    if not rules.are_records or material.embedding is None or material.query.kind != "question":
        return 1.0
    return float(scores.chunk_cover.max(initial=0.0)) ** _COVERAGE_POWER


# ── what a file promises ──


def _nominate_by_terms(
    material: Material, type_: ChunkType, scores: Bm25Scores, weights: Weights, strength: float
) -> list[RankedFile]:
    """Return the files that match terms, or have a matching chunk, at most `_MAX_CANDIDATES`."""
    best = find_best_chunks(scores)
    signals = {
        "file": _scale_to_greatest(scores.doc_score),
        "chunks": _sum_chunks(scores, best) if weights.chunks else None,
        "top": _take_best_chunk(scores, best) if weights.top else None,
        "path": _scale_to_greatest(scores.doc_path) if weights.path else None,
        "mention": score_mentions(material.text_index, material.query) if weights.mention else None,
    }
    used = {name: (getattr(weights, name) * strength, values) for name, values in signals.items() if values is not None}
    sums = sum((weight * values for weight, values in used.values()), np.zeros(len(scores.doc_score), np.float32))
    named = _map_matches_to_documents(material, type_)
    for doc, match in named.items():
        sums[doc] += match
    nominated = np.argsort(-sums, kind="stable")[:_FIRST_CANDIDATES]
    files = []
    for doc in nominated[sums[nominated] > 0].tolist():
        file = RankedFile(doc, chunks=best.get_document(doc))
        for name, (weight, values) in used.items():
            file.add(name, weight, float(values[doc]))
        file.add("stem", weights.stem, _cover_own_name(material.text_index.docs.paths[doc] or "", material.query))
        files.append(file)
    files.sort(key=lambda file: (-(file.prior + named.get(file.doc, 0.0)), file.doc))
    return files[:_MAX_CANDIDATES]


def _scale_to_greatest(values: Floats) -> Floats:
    greatest = values.max(initial=0.0)
    return values / greatest if greatest > 0 else values


def _sum_chunks(scores: Bm25Scores, best: BestChunks) -> Floats:
    sums = np.zeros(len(scores.doc_score), np.float32)
    sums[best.docs] = best.sums
    return _scale_to_greatest(sums)


def _take_best_chunk(scores: Bm25Scores, best: BestChunks) -> Floats:
    values = np.zeros(len(scores.doc_score), np.float32)
    values[best.docs] = scores.chunk_score[best.places[best.starts]]
    return _scale_to_greatest(values)


def _cover_own_name(path: str, query: Query) -> float:
    """Return the share of the parts of the file's own name that the query contains."""
    whole, parts = split_file_name(path)
    if not parts:
        return 0.0
    if whole in query.words:
        return query.weights.get(whole, 1.0)
    return sum(query.weights.get(part, 1.0) for part in parts.intersection(query.words)) / len(parts)


@lru_cache(maxsize=1 << 14)
def split_file_name(path: str) -> tuple[str, frozenset[str]]:
    """Split a file's own name into terms: `web_app.py` gives the whole and `web`, `app`."""
    terms = extract_terms(path.rpartition("/")[2].partition(".")[0])
    # the first of several is the whole name, which adds nothing to its parts
    return terms[0] if terms else "", frozenset(terms[1:] if len(terms) > 1 else terms)


def _map_matches_to_documents(material: Material, type_: ChunkType) -> dict[int, float]:
    """Map the visible documents of one type with a matching chunk to the best match."""
    matches: dict[int, float] = {}
    index, number = material.text_index, material.text_index.types.index(type_)
    for n, match in material.matches.items():
        doc = index.find_document(n)
        if doc is None or index.docs.type[doc] != number or not material.is_visible(doc):
            continue
        if material.visible.chunks is None or n in material.visible.chunks:
            matches[doc] = max(matches.get(doc, 0.0), match.value)
    return matches


def _nominate_by_vectors(
    material: Material, type_: ChunkType, rules: PartRules, known: set[int]
) -> Iterator[RankedFile]:
    """Yield documents that are not known yet, and have chunks near to the query."""
    for n in _find_nearest(material, type_, rules):
        doc = material.text_index.find_document(n)
        if doc is not None and doc not in known and material.is_visible(doc):
            known.add(doc)
            yield RankedFile(doc)


def _find_nearest(material: Material, type_: ChunkType, rules: PartRules) -> Sequence[int]:
    """Find the visible chunks nearest to the query, nearest first."""
    if material.embedding is None or not rules.candidates:
        return ()
    index = material.text_index
    among = _list_visible_chunks(material)
    if rules.are_records and material.record_cosines is not None:
        of_type = _list_chunks(index, index.docs.type == index.types.index(type_))
        near = material.record_cosines.select(of_type if among is None else among)
        order = np.argsort(-near.cosines, kind="stable")[: rules.candidates]
        return tuple(map(int, near.numbers[order]))
    vectors = material.vectors.get_vectors(type_)
    if vectors is None:
        return ()
    return tuple(vectors.find_nearest(material.embedding, rules.candidates, among, rules.least_cosine))


def _list_visible_chunks(material: Material) -> NDArray[np.int64] | None:
    """List the numbers of the chunks that may be in the result; None when all may."""
    visible = material.visible
    if visible.documents is None:
        return visible.chunks
    numbers = _list_chunks(material.text_index, visible.documents)
    return numbers if visible.chunks is None else np.intersect1d(numbers, visible.chunks)


def _list_chunks(index: TextIndex, documents: NDArray[np.bool_]) -> NDArray[np.int64]:
    return np.flatnonzero((index.doc_at >= 0) & documents[index.doc_at])


def _compare_meanings(
    material: Material, type_: ChunkType, scores: Bm25Scores, files: Sequence[RankedFile]
) -> Similarities:
    if material.embedding is None:
        return create_empty_similarities()
    numbers = select_candidate_chunks(material.text_index, scores, [(file.doc, file.chunks) for file in files])
    return compute_similarities(material.db, material.vectors, type_, material.embedding, numbers)


def _add_meanings(material: Material, files: Sequence[RankedFile], near: Similarities, weights: Weights) -> None:
    """Add the sum of squared cosines of each file's nearest chunks, relative to the greatest."""
    if material.embedding is None or not weights.meaning:
        return
    docs = material.text_index.doc_at[near.numbers].astype(np.int64)
    order = np.lexsort((-near.cosines, docs))
    order = order[mark_first_of_groups(docs[order], _TOP_SIMILAR)]
    squares = near.cosines[order].clip(0) ** 2
    sums = np.bincount(docs[order], squares, minlength=len(material.text_index.docs.first_n))
    greatest = sums.max(initial=0.0) or 1.0
    for file in files:
        file.add("meaning", weights.meaning, float(sums[file.doc] / greatest))


def _apply_roles(material: Material, type_: ChunkType, files: list[RankedFile]) -> None:
    """Apply the factors of the roles that the question is not about, then those of copies of better files."""
    paths = material.text_index.docs.paths
    for file in files:
        for role in material.roles.get_roles(paths[file.doc] or ""):
            is_expected = role in material.query.asked_roles or (role == "documentation" and type_ != "code")
            if not is_expected:
                file.apply_penalty(role)
    files.sort(key=RankedFile.get_sort_key)
    known = material.db.files.get_known_in([path for file in files if (path := paths[file.doc]) is not None])
    originals: dict[str, str] = {}
    for file in files:
        path = paths[file.doc]
        if path is not None and path in known and originals.setdefault(known[path][2], path) != path:
            file.apply_penalty("copy")
    files.sort(key=RankedFile.get_sort_key)


def explain_score(parts: Mapping[str, float]) -> dict[str, float]:
    """Return the factors of roles, then the signals of a score, largest first."""
    factors = {name: value for name, value in parts.items() if name in ROLE_PENALTIES}
    signals = {name: round(value, 3) for name, value in parts.items() if name not in ROLE_PENALTIES}
    return {**factors, **dict(sorted(signals.items(), key=lambda item: (-item[1], item[0])))}
