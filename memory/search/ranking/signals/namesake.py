"""Ranking signal: the file's own name equals a name of the query."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .signal import CandidateSignal

if TYPE_CHECKING:
    from .signal import CandidateInputs


def compute_namesake(inputs: CandidateInputs) -> float:
    """Return 1 when the last part of a name in the query is the file's own name."""
    own_name = inputs.path.rpartition("/")[2].partition(".")[0].lower()
    return float(bool(own_name) and any(name.rpartition(".")[2] == own_name for name in inputs.query.names))


NAMESAKE = CandidateSignal(name="namesake", weight=0.3, needs_name=True, compute=compute_namesake)
