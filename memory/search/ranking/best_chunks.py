"""Best chunks of each document by BM25F."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .bm25 import Bm25Scores

    Floats = NDArray[np.float32]
    Numbers = NDArray[np.int64]

_TOP_CHUNKS = 10
"""Chunks of a file in its sum."""
_MAX_CHUNKS = 2000
"""Best chunks of a type that count in the sums of files."""


class BestChunks(NamedTuple):
    """Best chunks per document, at most `_TOP_CHUNKS` of the `_MAX_CHUNKS` best of all.

    Attributes:
        docs: rising positions of the documents.
        starts, ends: range of each document's chunks in `places`, best first.
        places: positions in `Bm25Scores.chunks`.
        sums: sums of the scores per document.
    """

    docs: Numbers
    starts: Numbers
    ends: Numbers
    places: Numbers
    sums: Floats

    def get_document(self, doc: int) -> Numbers:
        """Return the places of one document's best chunks."""
        at = int(self.docs.searchsorted(doc))
        if at == len(self.docs) or self.docs[at] != doc:
            return self.places[:0]
        return self.places[self.starts[at] : self.ends[at]]


def find_best_chunks(scores: Bm25Scores) -> BestChunks:
    """Find the best chunks of each document."""
    count = min(_MAX_CHUNKS, len(scores.chunks))
    if not count:
        none = np.zeros(0, np.int64)
        return BestChunks(none, none, none, none, np.zeros(0, np.float32))
    top = np.argpartition(-scores.chunk_score, count - 1)[:count]
    order = top[np.lexsort((top, -scores.chunk_score[top], scores.chunk_doc[top]))]
    order = order[mark_first_of_groups(scores.chunk_doc[order], _TOP_CHUNKS)]
    docs = scores.chunk_doc[order]
    starts = np.flatnonzero(np.diff(docs, prepend=-1))
    sums = np.add.reduceat(scores.chunk_score[order], starts)
    return BestChunks(docs[starts], starts, np.append(starts[1:], len(order)), order, sums)


def mark_first_of_groups(groups: Numbers, count: int) -> NDArray[np.bool_]:
    """Mark the first `count` elements of each group; equal groups are adjacent."""
    starts = np.flatnonzero(np.diff(groups, prepend=-1))
    sizes = np.diff(np.append(starts, len(groups)))
    first: NDArray[np.bool_] = np.arange(len(groups)) - np.repeat(starts, sizes) < count
    return first
