"""Ranking signal: score of the file's best chunk."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .signal import TermSignal
from .top_chunks import sum_first_chunks

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from .signal import TermInputs

    Floats = NDArray[np.float32]


def compute_top_chunk(inputs: TermInputs) -> Floats:
    """Return the score of each file's best chunk, relative to the best."""
    return sum_first_chunks(inputs, 1)


TOP_CHUNK = TermSignal(name="top chunk", weight=0.2, report_weight=0.5, compute=compute_top_chunk)
