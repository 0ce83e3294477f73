"""Ranking signal: share of the query that one chunk of the file covers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .signal import TermSignal

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .signal import TermInputs

    Floats = NDArray[np.float32]


def compute_coverage(inputs: TermInputs) -> Floats:
    """Return the best coverage among each file's chunks."""
    coverage = np.zeros(len(inputs.scores.doc_score), np.float32)
    np.maximum.at(coverage, inputs.scores.chunk_doc, inputs.scores.chunk_cover)
    return coverage


COVERAGE = TermSignal(name="coverage", weight=0.2, compute=compute_coverage)
