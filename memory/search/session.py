"""Search session: each chunk type is ranked separately, then all are merged."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from aurora.memory.files import ROLE_PENALTIES
from aurora.memory.search.ranking import (
    EXACT_SCORE,
    MAX_PER_FILE,
    ChunkSignals,
    SelectedChunk,
    VisibleScope,
    find_occurrences,
    score_bm25f,
    select_chunks,
)
from aurora.memory.search.ranking import files as search_rank
from aurora.memory.search.ranking import similarity as search_meaning

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from aurora.memory.embeddings import VectorIndex
    from aurora.memory.files import FileRoles
    from aurora.memory.model import ChunkType
    from aurora.memory.search.ranking import Bm25Scores, RankedDocument, Similarities
    from aurora.memory.sqlite.tables import Tables
    from aurora.memory.text_index import PostingList, TextIndex

    from .query import Query

    Floats = NDArray[np.float32]
    Numbers = NDArray[np.int64]

TYPE_WEIGHTS: Mapping[str, float] = {"code": 1.0, "know": 0.6, "reas": 0.8}
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

    picked: Sequence[SelectedChunk]
    total: int


class SearchSession(NamedTuple):
    """Search session inside one read transaction.

    Attributes:
        db: the open transaction.
        lexicon, matrix: the indexes, refreshed from it.
        roles: roles of the project's files.
        query: the parsed query.
        postings: posting lists of its terms and names.
        named: chunks that define one of its names, and the match.
        documents: mask of allowed documents by position; None means all.
        wanted: rising numbers of allowed chunks; None means all.
        vector: the query's unit vector; None without embeddings.
        most: maximum number of chunks in the result.
    """

    db: Tables
    lexicon: TextIndex
    matrix: VectorIndex
    roles: FileRoles
    query: Query
    postings: Mapping[str, PostingList]
    named: Mapping[int, float]
    documents: NDArray[np.bool_] | None
    wanted: Numbers | None
    vector: Floats | None
    most: int

    def rank_chunks(self, types: Sequence[ChunkType]) -> RankedChunks:
        """Rank the chunks of these types."""
        found = [self._rank_type(type_) for type_ in dict.fromkeys(types)]
        picked = sorted((one for side in found for one in side.picked), key=lambda one: (-one.score, one.n))
        return RankedChunks(picked, sum(side.total for side in found))

    def _rank_type(self, type_: ChunkType) -> RankedChunks:
        code = self.lexicon.types.index(type_)
        if not self.lexicon.totals[code][0]:
            return RankedChunks((), 0)
        seen = find_occurrences(
            self.lexicon, self.postings, self.query.words, code, VisibleScope(self.documents, self.wanted)
        )
        words = score_bm25f(self.lexicon, code, seen)
        ranked = search_rank.rank_by_terms(
            self.lexicon, self.query, words, self._find_named_documents(code), self.roles
        )
        near = self._add_similarities(type_, words, ranked)
        ranked.sort(key=_get_sort_key)
        self._penalize_copies(ranked)
        ranked.sort(key=_get_sort_key)
        return self._select_chunks(
            type_, ranked, ChunkSignals(words, near, self.named, self._get_wanted_set(), prose=type_ != "code")
        )

    def _select_chunks(
        self, type_: ChunkType, ranked: Sequence[RankedDocument], opinions: ChunkSignals
    ) -> RankedChunks:
        """Select chunks of the first documents, and of those with a name match or a record."""
        enough = max(self.most, _FIT_SAMPLE)
        paths = self.lexicon.docs.paths
        first = [one for at, one in enumerate(ranked) if at < enough or "symbol" in one.parts or paths[one.doc] is None]
        picked = select_chunks(self.lexicon, first, opinions, search_rank.compute_max_scores(type_))
        sure = max((one.fit for one in sorted(picked, key=lambda one: -one.score)[:_FIT_SAMPLE]), default=0.0)
        scale = TYPE_WEIGHTS[type_] * max(min(sure / _GOOD_FIT, 1.0), 0.01)
        merged = [one._replace(score=self._merge_score(one, scale)) for one in picked]
        docs = self.lexicon.docs
        each = (int(docs.last_n[one.doc] - docs.first_n[one.doc]) + 1 for one in ranked)
        return RankedChunks(
            merged, sum(min(count, MAX_PER_FILE) for count in each) if opinions.wanted is None else len(merged)
        )

    def _merge_score(self, one: SelectedChunk, scale: float) -> float:
        """Return the score of a chunk among all types."""
        if "symbol" in one.parts:
            return one.score
        if one.fit >= _ANSWER_FIT and self.lexicon.docs.paths[self.lexicon.doc_at[one.n]] is None:
            return EXACT_SCORE * one.fit
        return one.score * scale

    def _penalize_copies(self, ranked: Sequence[RankedDocument]) -> None:
        """Apply a penalty to files with the same content as one ranked before."""
        paths = [self.lexicon.docs.paths[one.doc] for one in ranked]
        held = self.db.files.get_known_in([path for path in paths if path is not None])
        first: dict[str, str] = {}
        for one, path in zip(ranked, paths, strict=True):
            if path in held and first.setdefault(held[path][2], path) != path:
                one.parts["copy"] = ROLE_PENALTIES["copy"]
                one.penalty *= ROLE_PENALTIES["copy"]

    def _find_named_documents(self, code: int) -> dict[int, float]:
        """Find the allowed documents of one type that define a name of the query."""
        docs = self.lexicon.docs
        out: dict[int, float] = {}
        for n, value in self.named.items():
            doc = self.lexicon.find_document(n)
            seen = doc is not None and docs.type[doc] == code and (self.documents is None or self.documents[doc])
            if doc is not None and seen and (self.wanted is None or n in self.wanted):
                out[doc] = max(out.get(doc, 0.0), value)
        return out

    def _add_similarities(self, type_: ChunkType, words: Bm25Scores, ranked: list[RankedDocument]) -> Similarities:
        """Add vector candidates and the similarity signal of all; return the cosines."""
        if self.vector is None:
            return search_meaning.create_empty_similarities()
        known = {one.doc for one in ranked}
        for n in self._find_vector_candidates(type_):
            doc = self.lexicon.find_document(n)
            if doc is not None and doc not in known and (self.documents is None or self.documents[doc]):
                known.add(doc)
                ranked.append(search_rank.score_vector_candidate(self.lexicon, self.query, doc, self.roles))
        numbers = search_meaning.select_candidate_chunks(self.lexicon, words, ranked)
        near = search_meaning.compute_similarities(self.db, self.matrix, type_, self.vector, numbers)
        for one, value in zip(ranked, search_meaning.score_documents(self.lexicon, ranked, near), strict=True):
            one.parts["meaning"] = value
            one.score += search_rank.get_weights(type_)["meaning"] * value
        return near

    def _find_vector_candidates(self, type_: ChunkType) -> list[int]:
        shelf = self.matrix.get_vectors(type_) if _VECTOR_CANDIDATES[type_] else None
        if shelf is None or self.vector is None:
            return []
        return list(shelf.find_nearest(self.vector, _VECTOR_CANDIDATES[type_], self.wanted))

    def _get_wanted_set(self) -> frozenset[int] | None:
        return None if self.wanted is None else frozenset(self.wanted.tolist())


def _get_sort_key(one: RankedDocument) -> tuple[float, int]:
    return -one.score * one.penalty, one.doc
