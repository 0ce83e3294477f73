"""`options.weigh`: ranking of options by weighted criteria."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from aurora.tools.core import Example, StrictModel, Tool

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aurora.tools.core import Context

MIN_SCORE, MAX_SCORE = 1, 5
"""Scale of scores: from not at all to fully."""


class Params(StrictModel):
    """All settings of `options.weigh`; see the comments in the workflow."""

    close_within: float = Field(ge=0, le=MAX_SCORE)


class Criterion(StrictModel):
    """Criterion with its weight."""

    name: str = Field(min_length=1, max_length=80)
    weight: int = Field(ge=1, le=5)


class Option(StrictModel):
    """Option with a score for each criterion: from 1, not at all, to 5, fully."""

    name: str = Field(min_length=1, max_length=120)
    scores: dict[str, int] = Field(max_length=50)


class WeighInput(StrictModel):
    """Options and criteria."""

    criteria: tuple[Criterion, ...] = Field(min_length=1, max_length=12)
    options: tuple[Option, ...] = Field(min_length=1, max_length=8)


class RankedOption(StrictModel):
    """Option with its weighted mean, 1 to 5, and the criterion that costs it most."""

    name: str
    score: float
    weakest: str


class Ranking(StrictModel):
    """Options, best first.

    Attributes:
        margin: lead of the first option.
        verdict: CLOSE when the lead is less than `close_within`, or when the scores are incomplete.
        faults: missing and surplus scores; a missing score counts as 1.
    """

    ranking: tuple[RankedOption, ...]
    best: str
    margin: float
    verdict: Literal["CLEAR", "CLOSE"]
    faults: tuple[str, ...]


def weigh_options(given: WeighInput, context: Context) -> Ranking:
    """Rank the options by their weighted mean, Σ weight·score / Σ weight; the sort is stable."""
    params: Params = context.params
    faults = tuple(_find_faults(given))
    ranked = sorted((_rank_option(option, given.criteria) for option in given.options), key=lambda one: -one.score)
    margin = round(ranked[0].score - ranked[1].score, 2) if len(ranked) > 1 else ranked[0].score
    clear = not faults and (len(ranked) == 1 or margin >= params.close_within)
    return Ranking(
        ranking=tuple(ranked),
        best=ranked[0].name,
        margin=margin,
        verdict="CLEAR" if clear else "CLOSE",
        faults=faults,
    )


def _rank_option(option: Option, criteria: Sequence[Criterion]) -> RankedOption:
    total = sum(one.weight * _clamp_score(option, one) for one in criteria)
    weakest = max(criteria, key=lambda one: one.weight * (MAX_SCORE - _clamp_score(option, one)))
    return RankedOption(
        name=option.name, score=round(total / sum(one.weight for one in criteria), 2), weakest=weakest.name
    )


def _clamp_score(option: Option, criterion: Criterion) -> int:
    return min(MAX_SCORE, max(MIN_SCORE, option.scores.get(criterion.name, MIN_SCORE)))


def _find_faults(given: WeighInput) -> Iterator[str]:
    names = [one.name for one in given.criteria]
    yield from (f'two criteria are called "{name}"' for name in _find_duplicates(names))
    yield from (f'two options are called "{name}"' for name in _find_duplicates([one.name for one in given.options]))
    for option in given.options:
        yield from _find_score_faults(option, names)


def _find_score_faults(option: Option, names: Sequence[str]) -> Iterator[str]:
    """Find the scores of an option that are missing, of no criterion, or out of range."""
    for name in names:
        if name not in option.scores:
            yield f'"{option.name}" has no score for "{name}"'
    for name, score in option.scores.items():
        if name not in names:
            yield f'"{option.name}" has a score for "{name}", which is not a criterion'
        elif not MIN_SCORE <= score <= MAX_SCORE:
            yield f'"{option.name}" has {score} for "{name}", which is not from {MIN_SCORE} to {MAX_SCORE}'


def _find_duplicates(names: Sequence[str]) -> list[str]:
    return sorted({name for name in names if names.count(name) > 1})


TOOL = Tool(
    name="options.weigh",
    title="Weigh options",
    description=(
        "Rank options by their weighted scores for criteria, and report whether the first is clearly ahead or the "
        "decision is close. Missing scores are reported by name."
    ),
    input=WeighInput,
    output=Ranking,
    run=weigh_options,
    family="reasoning",
    risk="read",
    idempotent=True,
    timeout=5,
    phases=True,
    examples=(
        Example(
            "two ways to store sessions",
            {
                "criteria": [{"name": "simple", "weight": 3}, {"name": "fast", "weight": 1}],
                "options": [
                    {"name": "a file", "scores": {"simple": 5, "fast": 2}},
                    {"name": "a server", "scores": {"simple": 2, "fast": 5}},
                ],
            },
            {"close_within": 0.3},
        ),
    ),
    params=Params,
)
