"""Backtests: recorded runs replayed through an edited workflow, without tools or models."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .outcome import BacktestResult, Divergence, Note, TakenEdge
    from .replay import backtest_run

__all__ = ["BacktestResult", "Divergence", "Note", "TakenEdge", "backtest_run"]

__getattr__ = export_lazily(
    __name__,
    {
        "outcome": ["BacktestResult", "Divergence", "Note", "TakenEdge"],
        "replay": ["backtest_run"],
    },
)
