"""Embedding similarity of the chunks of candidate files."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from aurora.memory.embeddings import DIMENSIONS, compute_cosines

from .files import mark_first_of_groups

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from aurora.memory.embeddings import VectorIndex
    from aurora.memory.sqlite.tables import Tables
    from aurora.memory.text_index import TextIndex

    from .bm25 import Bm25Scores
    from .files import RankedDocument

    Floats = NDArray[np.float32]
    Numbers = NDArray[np.int64]

_MAX_CHUNKS = 60
"""Compared chunks of one file: the best by terms, and those from its beginning."""
_TOP_CHUNKS = 3
"""Nearest chunks of a file that count."""


class Similarities(NamedTuple):
    """Cosines by rising chunk number."""

    numbers: Numbers
    cosines: Floats

    def select_range(self, first: int, last: int) -> tuple[Numbers, Floats]:
        """Select the chunks numbered from `first` to `last`."""
        start, end = np.searchsorted(self.numbers, (first, last + 1))
        return self.numbers[start:end], self.cosines[start:end]


def create_empty_similarities() -> Similarities:
    """Create similarities of no chunks."""
    return Similarities(np.zeros(0, np.int64), np.zeros(0, np.float32))


def compute_similarities(db: Tables, matrix: VectorIndex, type_: str, vector: Floats, numbers: Numbers) -> Similarities:
    """Compute cosines of chunks with vectors, from memory if loaded, else the database.

    Args:
        db: an open read transaction.
        matrix: the vectors in memory.
        type_: the type of all the chunks.
        vector: the query's, of length 1.
        numbers: rising chunk numbers.
    """
    if not len(numbers):
        return create_empty_similarities()
    if (shelf := matrix.get_vectors(type_)) is not None:
        return Similarities(*shelf.compute_similarities(vector, numbers))
    found = _read_vectors(db, numbers)
    if not found:
        return create_empty_similarities()
    held, bodies = zip(*found, strict=True)
    rows = np.frombuffer(b"".join(bodies), np.int8).reshape(-1, DIMENSIONS)
    return Similarities(np.array(held, np.int64), compute_cosines(rows, vector))


def _read_vectors(db: Tables, numbers: Numbers) -> Sequence[tuple[int, bytes]]:
    """Read the vectors of these chunks, with one range per run of numbers."""
    lasts = np.flatnonzero(np.diff(numbers, append=-1) != 1)
    firsts = np.append(0, lasts[:-1] + 1)
    runs = np.stack([numbers[firsts], numbers[lasts]], axis=1)
    return db.vectors.get_ranges(runs.tolist(), DIMENSIONS)


def select_candidate_chunks(lexicon: TextIndex, words: Bm25Scores, ranked: Sequence[RankedDocument]) -> Numbers:
    """Select the chunks of these documents to compare; return rising numbers."""
    out = []
    for one in ranked:
        first, last = int(lexicon.docs.first_n[one.doc]), int(lexicon.docs.last_n[one.doc])
        out.append(np.arange(first, min(last, first + _MAX_CHUNKS) + 1))
        if last - first >= _MAX_CHUNKS:
            out.append(words.chunks[one.chunks])
    numbers: Numbers = np.sort(np.concatenate(out)) if out else np.zeros(0, np.int64)
    alone: Numbers = numbers[np.diff(numbers, prepend=-1) != 0]  # not `unique`, which imports all of numpy.ma
    return alone


def score_documents(lexicon: TextIndex, ranked: Sequence[RankedDocument], near: Similarities) -> list[float]:
    """Score documents by the sum of squared cosines of their nearest chunks, scaled to 1."""
    docs = lexicon.doc_at[near.numbers].astype(np.int64)
    order = np.lexsort((-near.cosines, docs))
    order = order[mark_first_of_groups(docs[order], _TOP_CHUNKS)]
    squares = near.cosines[order].clip(0) ** 2
    sums = np.bincount(docs[order], squares, minlength=len(lexicon.docs.first_n))
    greatest = sums.max(initial=0.0) or 1.0
    return [float(sums[one.doc] / greatest) for one in ranked]
