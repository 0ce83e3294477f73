"""Ranking signal: BM25F of the whole file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .scale import scale_to_max
from .signal import TermSignal

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from .signal import TermInputs

    Floats = NDArray[np.float32]


def compute_file_score(inputs: TermInputs) -> Floats:
    """Return the BM25F score of each file, relative to the best."""
    return scale_to_max(inputs.scores.doc_score)


FILE_SCORE = TermSignal(name="file", weight=0.5, report_weight=0.5, compute=compute_file_score)
