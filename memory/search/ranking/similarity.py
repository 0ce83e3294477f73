"""Embedding similarity of the chunks of candidate files."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from aurora.memory.embeddings import DIMENSIONS, compute_cosines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from aurora.memory.embeddings import VectorIndex
    from aurora.memory.storage import Tables
    from aurora.memory.text_index import TextIndex

    from .bm25 import Bm25Scores
    from .document import RankedDocument

    Floats = NDArray[np.float32]
    Numbers = NDArray[np.int64]

_MAX_CHUNKS = 60
"""Compared chunks of one file: the best by terms, and those from its beginning."""
_RAISE, _MAX_RAISED = np.float32(0.1), np.float32(0.55)


class Similarities(NamedTuple):
    """Cosines by rising chunk number."""

    numbers: Numbers
    cosines: Floats

    def select_range(self, first: int, last: int) -> tuple[Numbers, Floats]:
        """Select the chunks numbered from `first` to `last`."""
        start, end = np.searchsorted(self.numbers, (first, last + 1))
        return self.numbers[start:end], self.cosines[start:end]

    def select(self, numbers: Numbers) -> Similarities:
        """Select these chunks, as far as they have a cosine."""
        wanted = np.isin(self.numbers, numbers)
        return Similarities(self.numbers[wanted], self.cosines[wanted])


def create_empty_similarities() -> Similarities:
    """Create similarities of no chunks."""
    return Similarities(np.zeros(0, np.int64), np.zeros(0, np.float32))


def combine_similarities(similarities: Similarities, records: Similarities) -> Similarities:
    """Combine the cosines of records by both models into one for their fit.

    The transformer gives related texts high cosines, so that it alone could make a record of the same topic a literal
    answer. It raises cosines to at most `_MAX_RAISED`; an answer has `_RAISE` less by it than by the static model.
    """
    cosines = similarities.cosines.copy()
    places = np.searchsorted(similarities.numbers, records.numbers)
    cosines[places] = np.maximum(cosines[places], np.minimum(records.cosines + _RAISE, _MAX_RAISED))
    return Similarities(similarities.numbers, cosines)


def compute_similarities(db: Tables, vectors: VectorIndex, type_: str, query: Floats, numbers: Numbers) -> Similarities:
    """Compute cosines of chunks with vectors, from memory if loaded, else the database.

    Args:
        db: an open read transaction.
        vectors: the vectors in memory.
        type_: the type of all the chunks.
        query: the query's unit vector.
        numbers: rising chunk numbers.
    """
    if not len(numbers):
        return create_empty_similarities()
    if (loaded := vectors.get_vectors(type_)) is not None:
        return Similarities(*loaded.compute_similarities(query, numbers))
    stored = _read_vectors(db, numbers)
    if not stored:
        return create_empty_similarities()
    known, bodies = zip(*stored, strict=True)
    rows = np.frombuffer(b"".join(bodies), np.int8).reshape(-1, DIMENSIONS)
    return Similarities(np.array(known, np.int64), compute_cosines(rows, query))


def _read_vectors(db: Tables, numbers: Numbers) -> Sequence[tuple[int, bytes]]:
    """Read the vectors of these chunks, with one range per run of numbers."""
    lasts = np.flatnonzero(np.diff(numbers, append=-1) != 1)
    firsts = np.append(0, lasts[:-1] + 1)
    runs = np.stack([numbers[firsts], numbers[lasts]], axis=1)
    return db.vectors.get_ranges(runs.tolist(), DIMENSIONS)


def select_candidate_chunks(index: TextIndex, scores: Bm25Scores, ranked: Sequence[RankedDocument]) -> Numbers:
    """Select the chunks of these documents to compare; return rising numbers."""
    ranges = []
    for document in ranked:
        first, last = int(index.docs.first_n[document.doc]), int(index.docs.last_n[document.doc])
        ranges.append(np.arange(first, min(last, first + _MAX_CHUNKS) + 1))
        if last - first >= _MAX_CHUNKS:
            ranges.append(scores.chunks[document.chunks])
    numbers: Numbers = np.sort(np.concatenate(ranges)) if ranges else np.zeros(0, np.int64)
    distinct: Numbers = numbers[np.diff(numbers, prepend=-1) != 0]  # not `unique`, which imports all of numpy.ma
    return distinct
