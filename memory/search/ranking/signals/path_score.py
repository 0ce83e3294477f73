"""Ranking signal: BM25F of the path alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .scale import scale_to_max
from .signal import TermSignal

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from .signal import TermInputs

    Floats = NDArray[np.float32]


def compute_path_score(inputs: TermInputs) -> Floats:
    """Return the BM25F score of each path, relative to the best."""
    return scale_to_max(inputs.scores.doc_path)


PATH_SCORE = TermSignal(name="path", weight=0.2, compute=compute_path_score)
