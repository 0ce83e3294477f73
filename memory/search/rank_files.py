"""File ranking: a weighted sum of signals per file, times penalties for its roles.

Files are ranked first, and chunks are selected within them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from aurora.memory.files import ROLE_PENALTIES

from .rank_scores import RankedDocument, find_best_chunks
from .signals import (
    CANDIDATE_SIGNALS,
    SIGNALS,
    SIMILARITY_SIGNALS,
    SYMBOL,
    TERM_SIGNALS,
    CandidateInputs,
    CandidateSignal,
    SimilarityInputs,
    TermInputs,
    TermSignal,
    get_weights,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from aurora.memory.files import FileRoles
    from aurora.memory.model.chunks import ChunkType
    from aurora.memory.text_index import TextIndex

    from .query import Query, QueryKind
    from .rank_scores import Bm25Scores, Similarities

    Floats = NDArray[np.float32]

MAX_CANDIDATES = 60
"""Candidate files of each type for reranking."""


_FIRST_CANDIDATES = MAX_CANDIDATES + MAX_CANDIDATES // 4
"""Files that the term signals nominate, before the others are computed for them."""

_COVERAGE_POWER = 2


class ScoreBounds(NamedTuple):
    """Maximum document scores without and with a symbol match."""

    plain: float
    named: float


class Subject(NamedTuple):
    """Subject of a ranking: documents of one chunk type, and a query.

    Attributes:
        type: the chunk type.
        text_index: the current text index.
        query: the parsed query.
        roles: roles of the project's files.
    """

    type: ChunkType
    text_index: TextIndex
    query: Query
    roles: FileRoles


def compute_max_scores(type_: ChunkType, kind: QueryKind, strength: float = 1.0) -> ScoreBounds:
    """Compute the maximum scores of a document of this type for this kind of query.

    Args:
        type_: the chunk type.
        kind: the kind of query.
        strength: the factor of the term signals.
    """
    plain = named = 0.0
    weights = get_weights(type_, kind)
    for signal in SIGNALS:
        weight = weights.get(signal.name, 0.0) * (strength if isinstance(signal, TermSignal) else 1.0)
        named += weight
        if not (isinstance(signal, CandidateSignal) and signal.needs_name):
            plain += weight
    return ScoreBounds(plain, named)


def compute_term_strength(scores: Bm25Scores) -> float:
    """Compute the factor of the term signals from the best coverage of the query, 0..1.

    Term signals are relative to the best document, so one chance word would rank a document before all those that
    answer in other words. The power has the best figures of `make bench-facts`.
    """
    return float(scores.chunk_cover.max(initial=0.0)) ** _COVERAGE_POWER


def rank_by_terms(
    subject: Subject, scores: Bm25Scores, symbols: Mapping[int, float], strength: float = 1.0
) -> list[RankedDocument]:
    """Rank the documents that match terms or symbols; return at most `MAX_CANDIDATES`.

    Args:
        subject: the documents and the query.
        scores: the BM25F scores of this type.
        symbols: documents that define a name of the query, and the match, 0..1.
        strength: the factor of the term signals.
    """
    best = find_best_chunks(scores)
    inputs = TermInputs(subject.text_index, scores, best, subject.query)
    weights = get_weights(subject.type, subject.query.kind)
    signals = {signal.name: strength * signal.compute(inputs) for signal in TERM_SIGNALS if signal.name in weights}
    ranked = []
    for doc in _nominate_documents(subject, signals, symbols):
        parts = {name: float(values[doc]) for name, values in signals.items()}
        document = _score_document(subject, doc, parts, symbols.get(doc, 0.0))
        document.chunks = best.get_document(doc)
        ranked.append(document)
    return sorted(ranked, key=RankedDocument.get_sort_key)[:MAX_CANDIDATES]


def _nominate_documents(subject: Subject, signals: Mapping[str, Floats], symbols: Mapping[int, float]) -> Sequence[int]:
    """Return the documents with the best sums of term signals and symbol matches."""
    weights = get_weights(subject.type, subject.query.kind)
    sums = np.zeros(len(next(iter(signals.values()))), np.float32)
    for name, values in signals.items():
        sums = sums + weights[name] * values
    for doc, match in symbols.items():
        sums[doc] += SYMBOL.weight * match
    best = np.argsort(-sums, kind="stable")[:_FIRST_CANDIDATES]
    documents: Sequence[int] = best[sums[best] > 0].tolist()
    return documents


def score_vector_candidate(subject: Subject, doc: int) -> RankedDocument:
    """Score a document that only its vectors nominated."""
    return _score_document(subject, doc, {}, 0.0)


def _score_document(subject: Subject, doc: int, parts: dict[str, float], symbol_match: float) -> RankedDocument:
    """Add the candidate signals and the penalties of a document's roles to its term signals."""
    path = subject.text_index.docs.paths[doc] or ""
    inputs = CandidateInputs(path, subject.query, symbol_match)
    weights = get_weights(subject.type, subject.query.kind)
    for signal in CANDIDATE_SIGNALS:
        if signal.name in weights and (value := signal.compute(inputs)):
            parts[signal.name] = value
    score = sum([weights[name] * value for name, value in parts.items()])
    document = RankedDocument(doc, score, 1.0, parts, np.zeros(0, np.int64))
    for role in subject.roles.get_roles(path):
        is_expected = role in subject.query.asked_roles or (role == "documentation" and subject.type != "code")
        if not is_expected:
            apply_penalty(document, role)
    return document


def add_similarity_signals(subject: Subject, ranked: Sequence[RankedDocument], near: Similarities) -> None:
    """Add the signals that need the cosines of the candidates' chunks."""
    inputs = SimilarityInputs(subject.text_index, [document.doc for document in ranked], near)
    weights = get_weights(subject.type, subject.query.kind)
    for signal in SIMILARITY_SIGNALS:
        if signal.name not in weights:
            continue
        for document, value in zip(ranked, signal.compute(inputs), strict=True):
            document.parts[signal.name] = value
            document.score += weights[signal.name] * value


def apply_penalty(document: RankedDocument, role: str) -> None:
    """Multiply the penalty of a document by the factor of a role."""
    document.parts[role] = ROLE_PENALTIES[role]
    document.penalty *= ROLE_PENALTIES[role]


def explain_score(type_: ChunkType, kind: QueryKind, parts: Mapping[str, float]) -> dict[str, float]:
    """Return the penalties, then the weighted signals of a score, largest first."""
    weights = get_weights(type_, kind)
    penalties = {name: value for name, value in parts.items() if name in ROLE_PENALTIES}
    shares = {name: round(weights[name] * value, 3) for name, value in parts.items() if name in weights and value > 0}
    return {**penalties, **dict(sorted(shares.items(), key=lambda item: (-item[1], item[0])))}
