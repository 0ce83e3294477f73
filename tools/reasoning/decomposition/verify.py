"""`decomposition.verify`: verdict on a decomposition by four scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from aurora.tools.agents import find_agents
from aurora.tools.core import Example, StrictModel, Tool
from aurora.tools.memory import FoundChunk
from aurora.tools.reasoning.complexity import Level

from .model import Subgoal, SubgoalRangeByLevel
from .score import (
    CoverageParams,
    DecompositionFault,
    score_completeness,
    score_consistency,
    score_groundedness,
    score_routability,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aurora.tools.core import Context


class Weights(StrictModel):
    """Weights of the scores, which add up to 1."""

    completeness: float = Field(ge=0)
    consistency: float = Field(ge=0)
    groundedness: float = Field(ge=0)
    routability: float = Field(ge=0)


class Params(StrictModel):
    """All settings of `decomposition.verify`; see the comments in the workflow."""

    weights: Weights
    pass_from: float = Field(ge=0, le=1)
    retry_from: float = Field(ge=0, le=1)
    subgoals: SubgoalRangeByLevel
    coverage: CoverageParams
    count_score: float = Field(ge=0, le=1)
    neutral: float = Field(ge=0, le=1)
    grounded_share: float = Field(gt=0, le=1)
    grounded_words: int = Field(ge=1)
    ignore: tuple[str, ...]


class VerifyInput(StrictModel):
    """Decomposition with its query and the retrieved chunks."""

    query: str = Field(min_length=1, max_length=8000)
    complexity: Level = "MEDIUM"
    goal: str = Field(default="", max_length=500)
    subgoals: tuple[Subgoal, ...] = Field(min_length=1, max_length=20)
    chunks: tuple[FoundChunk, ...] = Field(default=(), max_length=50)


class Scores(StrictModel):
    """Four scores, each 0..1."""

    completeness: float
    consistency: float
    groundedness: float
    routability: float


class Verification(StrictModel):
    """Verdict with its weighted score (0..1), and feedback with one line per fault."""

    verdict: Literal["PASS", "RETRY", "FAIL"]
    score: float
    scores: Scores
    faults: tuple[DecompositionFault, ...]
    feedback: str


def verify_decomposition(given: VerifyInput, context: Context) -> Verification:
    """Verify a decomposition by its scores."""
    params: Params = context.params
    scores, faults = _compute_scores(given, params, [agent.name for agent in find_agents(context).agents])
    weights = params.weights
    whole = weights.completeness + weights.consistency + weights.groundedness + weights.routability
    total = (
        weights.completeness * scores.completeness
        + weights.consistency * scores.consistency
        + weights.groundedness * scores.groundedness
        + weights.routability * scores.routability
    )
    score = round(total / whole, 3) if whole else 0.0
    verdict = _decide_verdict(score, params, fatal=any(fault.fatal for fault in faults))
    feedback = "" if verdict == "PASS" else "\n".join(f"- {fault.message}" for fault in faults)
    return Verification(verdict=verdict, score=score, scores=scores, faults=tuple(faults), feedback=feedback)


def _compute_scores(
    given: VerifyInput, params: Params, agents: Sequence[str]
) -> tuple[Scores, list[DecompositionFault]]:
    ignore = frozenset(params.ignore)
    said = " ".join([given.goal, *(one.description for one in given.subgoals)])
    complete, missing = score_completeness(given.query, said, ignore, params.coverage, params.neutral)
    consistent, tangled = score_consistency(
        given.subgoals, params.subgoals.for_level(given.complexity), params.count_score
    )
    routable, unknown = score_routability(given.subgoals, agents)
    grounded, floating = params.neutral, []
    if given.chunks:
        grounded = score_groundedness(
            given.subgoals,
            given.chunks,
            ignore=ignore,
            share=params.grounded_share,
            common=params.grounded_words,
        )
        floating = _find_ungrounded(grounded)
    scores = Scores(
        completeness=round(complete, 3),
        consistency=round(consistent, 3),
        groundedness=round(grounded, 3),
        routability=round(routable, 3),
    )
    return scores, [*tangled, *missing, *unknown, *floating]


def _find_ungrounded(grounded: float) -> list[DecompositionFault]:
    if grounded >= 1:
        return []
    message = "too few subgoals mention the retrieved chunks: name the files and symbols that they concern"
    return [DecompositionFault(code="ungrounded", fatal=False, subgoal=None, message=message)]


def _decide_verdict(score: float, params: Params, *, fatal: bool) -> Literal["PASS", "RETRY", "FAIL"]:
    if score >= params.pass_from and not fatal:
        return "PASS"
    return "RETRY" if score >= params.retry_from else "FAIL"


_ANY_RANGE = {"least": 1, "most": 6}
_COVERAGE = {"share": 0.7, "part_share": 0.5, "name_weight": 2, "joiners": ["and"], "part_words": 2, "most_parts": 6}
TOOL = Tool(
    name="decomposition.verify",
    title="Verify a decomposition",
    description=(
        "Score subgoals against their query: completeness, consistency, groundedness and routability; PASS, RETRY "
        "with feedback on each fault, or FAIL. A cycle, a repeated id or an unknown dependency never passes."
    ),
    input=VerifyInput,
    output=Verification,
    run=verify_decomposition,
    family="reasoning",
    risk="read",
    idempotent=True,
    timeout=10,
    phases=True,
    examples=(
        Example(
            "one good subgoal",
            {
                "query": "How does the parser report errors?",
                "subgoals": [{"id": "s1", "description": "Find where the parser reports errors"}],
            },
            {
                "weights": {"completeness": 0.4, "consistency": 0.2, "groundedness": 0.2, "routability": 0.2},
                "pass_from": 0.7,
                "retry_from": 0.5,
                "subgoals": {"SIMPLE": _ANY_RANGE, "MEDIUM": _ANY_RANGE, "COMPLEX": _ANY_RANGE, "CRITICAL": _ANY_RANGE},
                "coverage": _COVERAGE,
                "count_score": 0.5,
                "neutral": 0.7,
                "grounded_share": 0.5,
                "grounded_words": 2,
                "ignore": ["how", "does", "the"],
            },
        ),
    ),
    params=Params,
)
