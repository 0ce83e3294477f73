"""Views of workflows: files, checks, tests, runs."""

from __future__ import annotations

from . import backtest, catalog, diff, explain, simulate, step, test, validate
from .step import REFUSAL, select_result

__all__ = ["REFUSAL", "RENDERERS", "select_result"]

RENDERERS = {
    **backtest.RENDERERS,
    **catalog.RENDERERS,
    **diff.RENDERERS,
    **explain.RENDERERS,
    **simulate.RENDERERS,
    **step.RENDERERS,
    **test.RENDERERS,
    **validate.RENDERERS,
}
