"""Ranking signal: length of the file; the main subject of a project fills its long files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .scale import scale_to_max
from .signal import TermSignal

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from aurora.memory.text_index import TextIndex

    from .signal import TermInputs

    Floats = NDArray[np.float32]


def compute_size(inputs: TermInputs) -> Floats:
    """Return the logarithm of the length of each matching file, relative to the longest."""
    sizes = inputs.text_index.get_or_compute("sizes", lambda: _compute_all_sizes(inputs.text_index))
    return scale_to_max(sizes * (inputs.scores.doc_score > 0))


def _compute_all_sizes(index: TextIndex) -> Floats:
    return np.log1p(index.docs.body_length).astype(np.float32)


SIZE = TermSignal(name="size", weight=0.1, compute=compute_size)
