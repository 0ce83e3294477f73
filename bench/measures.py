"""The measures of a ranked list: NDCG, recall and the reciprocal rank of the first that counts."""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

_TOP = 10


@dataclass(frozen=True)
class Measures:
    """Of one answer, or the mean of many; each in 0..1."""

    ndcg: float
    recall: float
    mrr: float
    category: str = ""


def measured(paths: Sequence[str | None], relevant: Collection[str], category: str = "") -> Measures:
    """Compute the measures of the first ten places.

    NDCG is that of Järvelin and Kekäläinen (2002) with gains of 0 and 1: the gain at place i counts 1 / log2(i + 1).

    Args:
        paths: best first; a path that came before gains nothing.
        relevant: all that count.
        category: kept as it is.
    """
    gains = [path in relevant and path not in paths[:place] for place, path in enumerate(paths[:_TOP])]
    ideal = sum(1 / math.log2(place + 2) for place in range(min(_TOP, len(relevant))))
    gained = sum(gain / math.log2(place + 2) for place, gain in enumerate(gains))
    first = next((place for place, gain in enumerate(gains, 1) if gain), None)
    return Measures(gained / ideal, sum(gains) / len(relevant), 1 / first if first else 0.0, category)


def mean(some: Sequence[Measures]) -> Measures:
    """Compute the mean of each measure."""
    return Measures(*(statistics.fmean(getattr(one, name) for one in some) for name in ("ndcg", "recall", "mrr")))
