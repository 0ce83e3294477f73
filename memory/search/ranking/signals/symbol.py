"""Ranking signal: the file defines a symbol that the query names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .signal import CandidateSignal

if TYPE_CHECKING:
    from .signal import CandidateInputs


def compute_symbol_match(inputs: CandidateInputs) -> float:
    """Return the match of the defined symbol with a name of the query."""
    return inputs.symbol_match


SYMBOL = CandidateSignal(name="symbol", weight=1.0, needs_name=True, report_weight=1.0, compute=compute_symbol_match)
