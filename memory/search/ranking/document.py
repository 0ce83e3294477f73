"""Candidate document of the ranking."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]


@dataclass(slots=True)
class RankedDocument:
    """Candidate document with its score and the parts of it.

    Attributes:
        doc: its position in the text index.
        score: the weighted sum of its signals, before the penalty.
        penalty: the product of the factors of its roles.
        parts: its signals by name, each in 0..1, and the factors of its roles.
        chunks: positions in `Bm25Scores.chunks` of its best chunks, best first.
    """

    doc: int
    score: float
    penalty: float
    parts: dict[str, float]
    chunks: Numbers

    def get_sort_key(self) -> tuple[float, int]:
        """Return the key that sorts the best document first."""
        return -self.score * self.penalty, self.doc
