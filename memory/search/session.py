"""Search session: each chunk type is ranked separately, then all are merged."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from aurora.memory.search.ranking import (
    EXACT_SCORE,
    MAX_PER_FILE,
    ChunkSignals,
    RankedDocument,
    SelectedChunk,
    Subject,
    VisibleScope,
    add_similarity_signals,
    apply_penalty,
    compute_max_scores,
    compute_similarities,
    create_empty_similarities,
    find_occurrences,
    rank_by_terms,
    score_bm25f,
    score_vector_candidate,
    select_candidate_chunks,
    select_chunks,
    weigh_occurrences,
)

from .patterns import limit_patterns

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from aurora.memory.embeddings import VectorIndex
    from aurora.memory.files import FileRoles
    from aurora.memory.model import ChunkType
    from aurora.memory.search.ranking import Bm25Scores, Similarities
    from aurora.memory.storage import Tables
    from aurora.memory.text_index import PostingList, TextIndex

    from .query import Query, QueryKind

    Floats = NDArray[np.float32]

TYPE_WEIGHTS: Mapping[QueryKind, Mapping[str, float]] = {
    "question": {"code": 1.0, "know": 0.6, "reas": 0.8},
    "report": {"code": 1.0, "know": 0.3, "reas": 0.8},
}
"""Weight of a type's scores relative to code: prose contains every word, and a question about code is
answered by code; measured with the documents of the benchmark's code bases."""

_VECTOR_CANDIDATES: Mapping[str, int] = {"code": 0, "know": 60, "reas": 60}
"""Candidates from the vector index alone. None for code: similarity without a common term is chance there."""

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

    def rank_chunks(self, types: Sequence[ChunkType]) -> RankedChunks:
        """Rank the chunks of these types."""
        sides = {type_: self._rank_type(type_) for type_ in dict.fromkeys(types)}
        others = [chunk for type_, side in sides.items() if type_ != "reas" for chunk in side.chunks]
        patterns = sides["reas"].chunks if "reas" in sides else ()
        of_files = (chunk for chunk in others if not self._is_record(chunk))
        chunks = [*others, *limit_patterns(self.db, patterns, of_files)]
        chunks.sort(key=lambda chunk: (-chunk.score, chunk.n))
        return RankedChunks(chunks, sum(side.total for side in sides.values()))

    def _rank_type(self, type_: ChunkType) -> RankedChunks:
        """Rank one type: terms, candidates from vectors, similarity, penalties, chunks."""
        type_number = self.text_index.types.index(type_)
        if not self.text_index.totals[type_number][0]:
            return RankedChunks((), 0)
        subject = Subject(type_, self.text_index, self.query, self.roles)
        words, weights = self.query.words, self.query.weights
        occurrences = find_occurrences(self.text_index, self.postings, words, type_number, self.visible)
        if weights:
            occurrences = weigh_occurrences(occurrences, words, weights)
        scores = score_bm25f(self.text_index, type_number, occurrences)
        ranked = rank_by_terms(subject, scores, self._map_symbols_to_documents(type_number))
        ranked += self._find_vector_candidates(subject, {document.doc for document in ranked})
        near = self._compute_similarities(type_, scores, ranked)
        if self.embedding is not None:
            add_similarity_signals(subject, ranked, near)
        ranked.sort(key=RankedDocument.get_sort_key)
        self._penalize_copies(ranked)
        ranked.sort(key=RankedDocument.get_sort_key)
        signals = ChunkSignals(scores, near, self.symbols, self._get_allowed_chunks(), prose=type_ != "code")
        return self._select_chunks(type_, ranked, signals)

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

    def _find_vector_candidates(self, subject: Subject, known: set[int]) -> Iterator[RankedDocument]:
        """Yield documents that are not known yet, and have chunks near to the query."""
        count = _VECTOR_CANDIDATES[subject.type]
        vectors = self.vectors.get_vectors(subject.type) if count else None
        if vectors is None or self.embedding is None:
            return
        for n in vectors.find_nearest(self.embedding, count, self.visible.chunks):
            doc = self.text_index.find_document(n)
            if doc is not None and doc not in known and self._is_visible(doc):
                known.add(doc)
                yield score_vector_candidate(subject, doc)

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

    def _select_chunks(self, type_: ChunkType, ranked: Sequence[RankedDocument], signals: ChunkSignals) -> RankedChunks:
        """Select chunks of the best documents, and weight their scores among all types."""
        selected = select_chunks(
            self.text_index, list(self._select_documents(ranked)), signals, compute_max_scores(type_, self.query.kind)
        )
        best = sorted(selected, key=lambda chunk: -chunk.score)[:_FIT_SAMPLE]
        fit = max((chunk.fit for chunk in best), default=0.0)
        weight = TYPE_WEIGHTS[self.query.kind][type_] * max(min(fit / _GOOD_FIT, 1.0), 0.01)
        chunks = [chunk._replace(score=self._merge_score(chunk, weight)) for chunk in selected]
        return RankedChunks(chunks, len(chunks) if signals.allowed is not None else self._count_results(ranked))

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
