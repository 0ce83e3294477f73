"""Recorded runs stepped through an edited workflow; nothing is asked of a tool or of a model."""

from .outcome import Divergence, Note, Outcome, Way
from .replay import backtest

__all__ = ["Divergence", "Note", "Outcome", "Way", "backtest"]
