"""Search session: each chunk type is ranked separately, then all are merged."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from aurora.memory.embeddings import UNRELATED_COSINE
from aurora.memory.records import is_adopted

from .past_answers import limit_patterns
from .rank_chunks import EXACT_SCORE, MAX_PER_FILE, ChunkSignals, SelectedChunk, select_chunks
from .rank_files import (
    Subject,
    add_similarity_signals,
    apply_penalty,
    compute_max_scores,
    compute_term_strength,
    rank_by_terms,
    score_vector_candidate,
)
from .rank_scores import (
    RankedDocument,
    combine_similarities,
    compute_similarities,
    create_empty_similarities,
    score_bm25f,
    select_candidate_chunks,
)
from .rank_terms import VisibleScope, find_occurrences, weigh_occurrences

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from aurora.memory.embeddings import VectorIndex
    from aurora.memory.files import FileRoles
    from aurora.memory.model.chunks import ChunkType
    from aurora.memory.storage import Tables
    from aurora.memory.text_index import PostingList, TextIndex

    from .query import Query, QueryKind
    from .rank_files import ScoreBounds
    from .rank_scores import Bm25Scores, Similarities

    Floats = NDArray[np.float32]

TYPE_WEIGHTS: Mapping[QueryKind, Mapping[str, float]] = {
    "question": {"code": 1.0, "know": 0.6, "reas": 0.8},
    "report": {"code": 1.0, "know": 0.3, "reas": 0.8},
}
"""Weight of a type's scores relative to code: prose contains every word, and a question about code is
answered by code; measured with the documents of the benchmark's code bases."""
_GUIDE_WEIGHT = 1.0
"""Weight of documents for a question that a guide answers."""


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


_CODE = PartRules(0, UNRELATED_COSINE, are_records=False)
"""No candidates from vectors: similarity without a common term is chance in code."""
_DOCUMENTS = PartRules(60, UNRELATED_COSINE, are_records=False)
_RECORDS = PartRules(60, 0.0, are_records=True)
"""Any cosine, since there are few records, and the only answer in other words may have one of 0.13."""

_GOOD_FIT = 0.5
"""Fit of the best chunks from which a type's scores count fully: prose that answers ranks above code that does
not, and below code that does."""
_FIT_SAMPLE = 3
"""Best chunks that determine the fit of a type."""
_ANSWER_FIT = 0.9
"""Fit from which a record answers the question literally. It then ranks just behind exact names, since it has no path,
name or length to rank by; records that only share words with a question about code have a lower fit."""


class RankedChunks(NamedTuple):
    """Ranked chunks, best first, and the total number of results."""

    chunks: Sequence[SelectedChunk]
    total: int


class SearchSession(NamedTuple):
    """Search session inside one read transaction.

    Attributes:
        db: the open transaction.
        text_index, vectors: the indexes in memory, refreshed from it.
        roles: roles of the project's files.
        query: the parsed query.
        postings: posting lists of its terms and names.
        symbols: chunks that define one of its names, and the match, 0..1.
        visible: the documents and chunks that may be in the result.
        embedding: the query's unit vector; None without embeddings.
        limit: maximum number of chunks in the result.
        record_cosines: similarities of all records by the extra `semantic`; None without it.
    """

    db: Tables
    text_index: TextIndex
    vectors: VectorIndex
    roles: FileRoles
    query: Query
    postings: Mapping[str, PostingList]
    symbols: Mapping[int, float]
    visible: VisibleScope
    embedding: Floats | None
    limit: int
    record_cosines: Similarities | None = None

    def rank_chunks(self, types: Sequence[ChunkType]) -> RankedChunks:
        """Rank the chunks of these types."""
        found = [(type_, side) for type_ in dict.fromkeys(types) for side in self._rank_sides(type_)]
        sides = self._drop_unrelated(found)
        found_chunks = [(type_ == "reas", chunk) for type_, side in sides for chunk in side.chunks]
        foreign = self._find_adopted(
            [chunk.n for is_pattern, chunk in found_chunks if not is_pattern and self._is_record(chunk)]
        )
        others = [chunk for is_pattern, chunk in found_chunks if not is_pattern and chunk.n not in foreign]
        patterns = [chunk for is_pattern, chunk in found_chunks if is_pattern or chunk.n in foreign]
        of_files = (chunk for chunk in others if not self._is_record(chunk))
        chunks = [*others, *limit_patterns(self.db, patterns, of_files)]
        chunks.sort(key=lambda chunk: (-chunk.score, chunk.n))
        return RankedChunks(chunks, sum(side.total for _, side in sides))

    def _find_adopted(self, numbers: Sequence[int]) -> frozenset[int]:
        """Find the facts that another account wrote, which rank as claims, like patterns."""
        chunks = self.db.chunks.get_by_number(numbers) if numbers else {}
        return frozenset(n for n, chunk in chunks.items() if is_adopted(chunk.metadata))

    def _drop_unrelated(self, sides: Sequence[tuple[ChunkType, RankedChunks]]) -> list[tuple[ChunkType, RankedChunks]]:
        """Drop records that share neither words nor meaning with the query, if a file answers it well."""
        chunks = (chunk for _, side in sides for chunk in side.chunks)
        if not any(chunk.fit >= _GOOD_FIT and not self._is_record(chunk) for chunk in chunks):
            return list(sides)
        kept = []
        for type_, side in sides:
            related = [chunk for chunk in side.chunks if chunk.fit > 0 or not self._is_record(chunk)]
            kept.append((type_, RankedChunks(related, side.total - len(side.chunks) + len(related))))
        return kept

    def _rank_sides(self, type_: ChunkType) -> Iterator[RankedChunks]:
        """Rank one type; prose without a file apart from that of files, which has paths and names to rank by."""
        if not self.text_index.totals[self.text_index.types.index(type_)][0]:
            return
        if type_ == "code":
            yield self.rank_type(type_, _CODE)
            return
        is_record = self.text_index.get_or_compute("is record", self._mark_records)
        of_type = self.text_index.docs.type == self.text_index.types.index(type_)
        parts = [(of_type & ~is_record, _DOCUMENTS), (of_type & is_record, _RECORDS)]
        existing = [(mask, rules) for mask, rules in parts if mask.any()]
        for mask, rules in existing:
            side = self if len(existing) == 1 else self._replace(visible=self._narrow_scope(mask))
            yield side.rank_type(type_, rules)

    def _mark_records(self) -> NDArray[np.bool_]:
        paths = self.text_index.docs.paths
        return np.fromiter((path is None for path in paths), np.bool_, len(paths))

    def _narrow_scope(self, mask: NDArray[np.bool_]) -> VisibleScope:
        documents = self.visible.documents
        return self.visible._replace(documents=mask if documents is None else mask & documents)

    def rank_type(self, type_: ChunkType, rules: PartRules) -> RankedChunks:
        """Rank the visible part of one type: terms, candidates from vectors, similarity, penalties, chunks."""
        type_number = self.text_index.types.index(type_)
        subject = Subject(type_, self.text_index, self.query, self.roles)
        words, weights = self.query.words, self.query.weights
        occurrences = find_occurrences(self.text_index, self.postings, words, type_number, self.visible)
        if weights:
            occurrences = weigh_occurrences(occurrences, words, weights)
        scores = score_bm25f(self.text_index, type_number, occurrences)
        weakens = rules.are_records and self.embedding is not None and self.query.kind == "question"
        strength = compute_term_strength(scores) if weakens else 1.0
        ranked = rank_by_terms(subject, scores, self._map_symbols_to_documents(type_number), strength)
        ranked += self._find_vector_candidates(subject, rules, {document.doc for document in ranked})
        near = self._compute_similarities(type_, scores, ranked)
        nearer = self.record_cosines.select(near.numbers) if self.record_cosines and rules.are_records else near
        if self.embedding is not None:
            add_similarity_signals(subject, ranked, nearer)
        ranked.sort(key=RankedDocument.get_sort_key)
        self._penalize_copies(ranked)
        ranked.sort(key=RankedDocument.get_sort_key)
        if nearer is not near:
            near = combine_similarities(near, nearer)
        signals = ChunkSignals(scores, near, self.symbols, self._get_allowed_chunks(), prose=type_ != "code")
        bounds = compute_max_scores(type_, self.query.kind, strength)
        return self._select_chunks(type_, ranked, signals, bounds)

    def _map_symbols_to_documents(self, type_number: int) -> dict[int, float]:
        """Map the visible documents of one type that define a name of the query to the match."""
        matches: dict[int, float] = {}
        for n, match in self.symbols.items():
            doc = self.text_index.find_document(n)
            if doc is None or self.text_index.docs.type[doc] != type_number or not self._is_visible(doc):
                continue
            if self.visible.chunks is None or n in self.visible.chunks:
                matches[doc] = max(matches.get(doc, 0.0), match)
        return matches

    def _find_vector_candidates(self, subject: Subject, rules: PartRules, known: set[int]) -> Iterator[RankedDocument]:
        """Yield documents that are not known yet, and have chunks near to the query."""
        for n in self._find_nearest(subject.type, rules):
            doc = self.text_index.find_document(n)
            if doc is not None and doc not in known and self._is_visible(doc):
                known.add(doc)
                yield score_vector_candidate(subject, doc)

    def _find_nearest(self, type_: ChunkType, rules: PartRules) -> Sequence[int]:
        """Find the visible chunks nearest to the query, nearest first."""
        if self.embedding is None or not rules.candidates:
            return ()
        among = self._list_visible_chunks()
        if rules.are_records and self.record_cosines is not None:
            of_type = self._list_chunks(self.text_index.docs.type == self.text_index.types.index(type_))
            near = self.record_cosines.select(of_type if among is None else among)
            order = np.argsort(-near.cosines, kind="stable")[: rules.candidates]
            return tuple(map(int, near.numbers[order]))
        vectors = self.vectors.get_vectors(type_)
        if vectors is None:
            return ()
        return tuple(vectors.find_nearest(self.embedding, rules.candidates, among, rules.least_cosine))

    def _list_visible_chunks(self) -> NDArray[np.int64] | None:
        """List the numbers of the chunks that may be in the result; None when all may."""
        if self.visible.documents is None:
            return self.visible.chunks
        numbers = self._list_chunks(self.visible.documents)
        return numbers if self.visible.chunks is None else np.intersect1d(numbers, self.visible.chunks)

    def _list_chunks(self, documents: NDArray[np.bool_]) -> NDArray[np.int64]:
        doc_at = self.text_index.doc_at
        return np.flatnonzero((doc_at >= 0) & documents[doc_at])

    def _compute_similarities(
        self, type_: ChunkType, scores: Bm25Scores, ranked: Sequence[RankedDocument]
    ) -> Similarities:
        if self.embedding is None:
            return create_empty_similarities()
        numbers = select_candidate_chunks(self.text_index, scores, ranked)
        return compute_similarities(self.db, self.vectors, type_, self.embedding, numbers)

    def _penalize_copies(self, ranked: Sequence[RankedDocument]) -> None:
        """Apply a penalty to files with the same content as one ranked before."""
        paths = [self.text_index.docs.paths[document.doc] for document in ranked]
        known = self.db.files.get_known_in([path for path in paths if path is not None])
        originals: dict[str, str] = {}
        for document, path in zip(ranked, paths, strict=True):
            if path in known and originals.setdefault(known[path][2], path) != path:
                apply_penalty(document, "copy")

    def _select_chunks(
        self, type_: ChunkType, ranked: Sequence[RankedDocument], signals: ChunkSignals, bounds: ScoreBounds
    ) -> RankedChunks:
        """Select chunks of the best documents, and weight their scores among all types."""
        selected = select_chunks(self.text_index, list(self._select_documents(ranked)), signals, bounds)
        best = sorted(selected, key=lambda chunk: -chunk.score)[:_FIT_SAMPLE]
        fit = max((chunk.fit for chunk in best), default=0.0)
        weight = self._get_type_weight(type_) * max(min(fit / _GOOD_FIT, 1.0), 0.01)
        chunks = [chunk._replace(score=self._merge_score(chunk, weight)) for chunk in selected]
        return RankedChunks(chunks, len(chunks) if signals.allowed is not None else self._count_results(ranked))

    def _get_type_weight(self, type_: ChunkType) -> float:
        """Return the weight of a type relative to code, by what is asked."""
        is_guide = type_ == "know" and self.query.wants_guide
        return _GUIDE_WEIGHT if is_guide else TYPE_WEIGHTS[self.query.kind][type_]

    def _select_documents(self, ranked: Sequence[RankedDocument]) -> Iterator[RankedDocument]:
        """Yield the first documents, and those with a symbol match or a record."""
        enough = max(self.limit, _FIT_SAMPLE)
        for place, document in enumerate(ranked):
            if place < enough or "symbol" in document.parts or self.text_index.docs.paths[document.doc] is None:
                yield document

    def _count_results(self, ranked: Sequence[RankedDocument]) -> int:
        docs = self.text_index.docs
        sizes = (int(docs.last_n[document.doc] - docs.first_n[document.doc]) + 1 for document in ranked)
        return sum(min(size, MAX_PER_FILE) for size in sizes)

    def _merge_score(self, chunk: SelectedChunk, weight: float) -> float:
        """Return the score of a chunk among all types."""
        if "symbol" in chunk.parts:
            return chunk.score
        if chunk.fit >= _ANSWER_FIT and self._is_record(chunk):
            return EXACT_SCORE * chunk.fit
        return chunk.score * weight

    def _is_record(self, chunk: SelectedChunk) -> bool:
        """Return True for a chunk that no file contains."""
        return self.text_index.docs.paths[self.text_index.doc_at[chunk.n]] is None

    def _is_visible(self, doc: int) -> bool:
        return self.visible.documents is None or bool(self.visible.documents[doc])

    def _get_allowed_chunks(self) -> frozenset[int] | None:
        return None if self.visible.chunks is None else frozenset(self.visible.chunks.tolist())
