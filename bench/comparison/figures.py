"""Figures of a comparison: means, paired differences, and bootstrap intervals of their mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .folders import WITH, WITHOUT
from .scoring import score_answer

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from .questions import Question
    from .results import Result

RESAMPLES = 10_000
MEASURES = ("right file", "right line", "right facts", "turns", "tokens sent", "tokens received", "seconds")

Pair = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Figure:
    """One measure over all pairs in which both sides are known.

    Attributes:
        name: of the measure.
        pairs: number of the pairs; without any, the others are 0.
        without, with_it: means.
        difference: mean of with - without.
        low, high: bounds of its 95 % interval: percentiles 2.5 and 97.5 of the bootstrap (Efron 1979) over the pairs.
    """

    name: str
    pairs: int
    without: float = 0.0
    with_it: float = 0.0
    difference: float = 0.0
    low: float = 0.0
    high: float = 0.0


def compute_figures(questions: Iterable[Question], results: Mapping[tuple[str, str], Result]) -> tuple[Figure, ...]:
    """Compute the figures of the questions that have been answered with and without Aurora."""
    columns: dict[str, list[Pair]] = {name: [] for name in MEASURES}
    for question in questions:
        both = [results.get((question.ask, arm)) for arm in (WITHOUT, WITH)]
        if both[0] is None or both[1] is None:
            continue
        rows = zip(MEASURES, _measure(question, both[0]), _measure(question, both[1]), strict=True)
        for name, before, after in rows:
            if before is not None and after is not None:
                columns[name].append((float(before), float(after)))
    return tuple(_compute_figure(name, pairs) for name, pairs in columns.items())


def _measure(question: Question, result: Result) -> tuple[float | None, ...]:
    score = score_answer(question, result.answer)
    return (score.file, score.line, score.facts, result.turns, result.sent, result.received, result.seconds)


def _compute_figure(name: str, pairs: Sequence[Pair]) -> Figure:
    if not pairs:
        return Figure(name, 0)
    table = np.array(pairs)
    differences = table[:, 1] - table[:, 0]
    picks = np.random.default_rng(0).integers(len(pairs), size=(RESAMPLES, len(pairs)))
    low, high = np.percentile(differences[picks].mean(axis=1), (2.5, 97.5))
    before, after = table.mean(axis=0)
    return Figure(name, len(pairs), float(before), float(after), float(differences.mean()), float(low), float(high))


HEADINGS = ("measure", "pairs", "without", "with", "difference", "95 % interval")


def format_figure(figure: Figure) -> tuple[str, ...]:
    """Format a figure as a row of the table; shares are in percent."""
    if not figure.pairs:
        return (figure.name, "0", "not known", "not known", "", "")
    is_share = figure.name.startswith("right")

    def write(value: float, sign: str = "") -> str:
        return f"{value:{sign}.0%}" if is_share else f"{value:{sign},.1f}"

    interval = f"{write(figure.low, '+')} to {write(figure.high, '+')}"
    means = (write(figure.without), write(figure.with_it), write(figure.difference, "+"))
    return (figure.name, str(figure.pairs), *means, interval)
