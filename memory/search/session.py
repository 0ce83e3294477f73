"""Search session: each chunk type is ranked separately, then all are merged."""

from __future__ import annotations

from itertools import islice
from math import exp
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from aurora.memory.embeddings import UNRELATED_COSINE
from aurora.memory.records import is_adopted

from .past_answers import limit_patterns
from .places import EXACT_SCORE, MAX_PER_FILE
from .rank import PartRules, rank_type

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from aurora.memory.model.chunks import ChunkType

    from .material import Material, RankedFile, SelectedChunk
    from .query import QueryKind
    from .rank_terms import VisibleScope

TYPE_WEIGHTS: Mapping[QueryKind, Mapping[str, float]] = {
    "question": {"code": 1.0, "know": 0.6, "reas": 0.8},
    "report": {"code": 1.0, "know": 0.3, "reas": 0.8},
}
"""Weight of a type's scores relative to code: prose contains every word, and a question about code is
answered by code; measured with the documents of the benchmark's code bases."""
_GUIDE_WEIGHT = 1.0
"""Weight of documents for a question that a guide answers."""


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


_SHOWN_FILES, _SHOWN_PLACES = 5, 3
_CONFIDENCE = (-1.5, 1.5, 3.5, 1.1)
"""Constant, and weights of the best score, the mean fit and the greatest coverage of the shown places, of the logistic
model whose value is the confidence. It was fitted to which of 40 questions of people about ten projects had a right
place (the odd ones of `bench/people.py`, which prints its error; maximum likelihood, rounded)."""
LOW_CONFIDENCE = 0.48
"""Confidence below which an answer says that nothing fits: it tells best the same questions, put to the projects that
they are about, from those put to other projects."""


def compute_confidence(files: Iterable[Sequence[SelectedChunk]]) -> float:
    """Compute the probability that one of the places that are shown answers, 0..1.

    Args:
        files: the chunks of each file, best first.
    """
    shown = [chunk for chunks in islice(files, _SHOWN_FILES) for chunk in chunks[:_SHOWN_PLACES]]
    if not any(chunk.fit for chunk in shown):
        return 0.0
    constant, of_score, of_fit, of_coverage = _CONFIDENCE
    mean_fit = sum(chunk.fit for chunk in shown) / len(shown)
    coverage = max(chunk.coverage for chunk in shown)
    return 1 / (1 + exp(-constant - of_score * shown[0].score - of_fit * mean_fit - of_coverage * coverage))


class RankedChunks(NamedTuple):
    """Ranked chunks, best first, and the total number of results."""

    chunks: Sequence[SelectedChunk]
    total: int


class SearchSession(NamedTuple):
    """Search session inside one read transaction, over the material that the types are ranked from."""

    material: Material

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
        chunks = [*others, *limit_patterns(self.material.db, patterns, of_files)]
        chunks.sort(key=lambda chunk: (-chunk.score, chunk.n))
        return RankedChunks(chunks, sum(side.total for _, side in sides))

    def _find_adopted(self, numbers: Sequence[int]) -> frozenset[int]:
        """Find the facts that another account wrote, which rank as claims, like patterns."""
        chunks = self.material.db.chunks.get_by_number(numbers) if numbers else {}
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
        if not self.material.text_index.totals[self.material.text_index.types.index(type_)][0]:
            return
        if type_ == "code":
            yield self._rank_part(type_, _CODE, self.material)
            return
        is_record = self.material.text_index.get_or_compute("is record", self._mark_records)
        of_type = self.material.text_index.docs.type == self.material.text_index.types.index(type_)
        parts = [(of_type & ~is_record, _DOCUMENTS), (of_type & is_record, _RECORDS)]
        existing = [(mask, rules) for mask, rules in parts if mask.any()]
        for mask, rules in existing:
            part = self.material if len(existing) == 1 else self.material._replace(visible=self._narrow_scope(mask))
            yield self._rank_part(type_, rules, part)

    def _mark_records(self) -> NDArray[np.bool_]:
        paths = self.material.text_index.docs.paths
        return np.fromiter((path is None for path in paths), np.bool_, len(paths))

    def _narrow_scope(self, mask: NDArray[np.bool_]) -> VisibleScope:
        documents = self.material.visible.documents
        return self.material.visible._replace(documents=mask if documents is None else mask & documents)

    def _rank_part(self, type_: ChunkType, rules: PartRules, material: Material) -> RankedChunks:
        """Rank a part of one type, and weight the scores of its chunks among all types."""
        files, selected = rank_type(material, type_, rules)
        best = sorted(selected, key=lambda chunk: -chunk.score)[:_FIT_SAMPLE]
        fit = max((chunk.fit for chunk in best), default=0.0)
        weight = self._get_type_weight(type_) * max(min(fit / _GOOD_FIT, 1.0), 0.01)
        chunks = [chunk._replace(score=self._merge_score(chunk, weight)) for chunk in selected]
        return RankedChunks(chunks, len(chunks) if material.visible.chunks is not None else self._count_results(files))

    def _get_type_weight(self, type_: ChunkType) -> float:
        """Return the weight of a type relative to code, by what is asked."""
        is_guide = type_ == "know" and self.material.query.wants_guide
        return _GUIDE_WEIGHT if is_guide else TYPE_WEIGHTS[self.material.query.kind][type_]

    def _count_results(self, files: Sequence[RankedFile]) -> int:
        docs = self.material.text_index.docs
        sizes = (int(docs.last_n[document.doc] - docs.first_n[document.doc]) + 1 for document in files)
        return sum(min(size, MAX_PER_FILE) for size in sizes)

    def _merge_score(self, chunk: SelectedChunk, weight: float) -> float:
        """Return the score of a chunk among all types."""
        if chunk.match:
            return chunk.score
        if chunk.fit >= _ANSWER_FIT and self._is_record(chunk):
            return EXACT_SCORE * chunk.fit
        return chunk.score * weight

    def _is_record(self, chunk: SelectedChunk) -> bool:
        """Return True for a chunk that no file contains."""
        return self.material.text_index.docs.paths[self.material.text_index.doc_at[chunk.n]] is None
