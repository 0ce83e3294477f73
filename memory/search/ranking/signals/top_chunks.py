"""Ranking signal of reports: sum of the scores of the file's three best chunks.

A report has many words, and a long file contains most of them somewhere; a file that answers has them in few chunks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from aurora.memory.search.ranking.best_chunks import mark_first_of_groups

from .scale import scale_to_max
from .signal import TermSignal

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .signal import TermInputs

    Floats = NDArray[np.float32]

_COUNT = 3


def compute_top_chunks(inputs: TermInputs) -> Floats:
    """Return the sum of each file's three best chunks, relative to the best."""
    return sum_first_chunks(inputs, _COUNT)


def sum_first_chunks(inputs: TermInputs, count: int) -> Floats:
    """Return the sum of the scores of each file's best chunks, relative to the best."""
    places, scores = inputs.best.places, inputs.scores
    some = places[mark_first_of_groups(scores.chunk_doc[places], count)]
    sums = np.bincount(scores.chunk_doc[some], scores.chunk_score[some], minlength=len(scores.doc_score))
    return scale_to_max(sums.astype(np.float32))


TOP_CHUNKS = TermSignal(name="top chunks", weight=0.0, report_weight=1.0, compute=compute_top_chunks)
