"""Row of the table, and its output as JSON."""

from __future__ import annotations

import json
import statistics
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True)
class Row:
    """One figure: what was measured, against what in the same run, and the ratio of the two.

    Attributes:
        figure: what it is about.
        measured, against: both sides with their units, as text.
        ratio: measured / against.
        aim: what was promised, empty where nothing was.
        met: whether the aim is met; None without one.
    """

    figure: str
    measured: str
    against: str
    ratio: float
    aim: str = ""
    met: bool | None = None


def emit(rows: Sequence[Row], **facts: Any) -> None:
    """Print the rows for the table to read, and facts for the measurements after this one."""
    print(json.dumps({"rows": [asdict(row) for row in rows], "facts": facts}))


def median(values: Sequence[float]) -> float:
    """Return the middle value."""
    return statistics.median(values)


def percentile(values: Sequence[float], share: float) -> float:
    """Return the value that `share` of the others do not exceed (nearest rank)."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, max(0, round(share * len(ordered)) - 1))]
