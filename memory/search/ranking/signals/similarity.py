"""Ranking signal: similarity of the file's three nearest chunks to the query."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from aurora.memory.search.ranking.best_chunks import mark_first_of_groups

from .signal import SimilaritySignal

if TYPE_CHECKING:
    from .signal import SimilarityInputs

_TOP_CHUNKS = 3
"""Nearest chunks of a file that count."""


def compute_similarity(inputs: SimilarityInputs) -> list[float]:
    """Return the sum of squared cosines of each candidate's nearest chunks, scaled to 1."""
    near = inputs.near
    docs = inputs.text_index.doc_at[near.numbers].astype(np.int64)
    order = np.lexsort((-near.cosines, docs))
    order = order[mark_first_of_groups(docs[order], _TOP_CHUNKS)]
    squares = near.cosines[order].clip(0) ** 2
    sums = np.bincount(docs[order], squares, minlength=len(inputs.text_index.docs.first_n))
    greatest = sums.max(initial=0.0) or 1.0
    return [float(sums[doc] / greatest) for doc in inputs.documents]


SIMILARITY = SimilaritySignal(name="meaning", weight=0.3, prose_weight=1.0, compute=compute_similarity)
"""Prose expresses the same in many words, so similarity has half of the weight there."""
