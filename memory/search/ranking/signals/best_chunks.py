"""Ranking signal: sum of the scores of the file's ten best chunks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .scale import scale_to_max
from .signal import TermSignal

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .signal import TermInputs

    Floats = NDArray[np.float32]


def compute_chunk_sums(inputs: TermInputs) -> Floats:
    """Return the sum of each file's best chunks, relative to the best."""
    sums = np.zeros(len(inputs.scores.doc_score), np.float32)
    sums[inputs.best.docs] = inputs.best.sums
    return scale_to_max(sums)


BEST_CHUNKS = TermSignal(name="chunks", weight=0.4, compute=compute_chunk_sums)
