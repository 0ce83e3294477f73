"""Subgoals of a decomposition, their number by complexity, and their faults."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field, StringConstraints

from aurora.tools.core import StrictModel

if TYPE_CHECKING:
    from aurora.tools.reasoning.complexity.params import Level

Claim = Annotated[str, StringConstraints(min_length=1, max_length=300)]

FaultCode = Literal[
    "missing",
    "duplicate_id",
    "unknown_dependency",
    "cycle",
    "too_few",
    "too_many",
    "ungrounded",
    "unknown_agent",
    "not_quoted",
    "unknown_place",
    "repeats_question",
    "repeats_subgoal",
    "unclear",
    "unrelated",
    "empty",
]


class Subgoal(StrictModel):
    """Subgoal with its claims; `agent` None means the host, `critical` that the answer fails without it.

    `covers` quotes the question; `where` lists paths and symbols, or `new: …` for those that the work creates.
    """

    id: str = Field(min_length=1, max_length=40)
    description: str = Field(min_length=1, max_length=500)
    covers: tuple[Claim, ...] = Field(default=(), max_length=10)
    where: tuple[Claim, ...] = Field(default=(), max_length=10)
    depends_on: tuple[str, ...] = Field(default=(), max_length=20)
    agent: str | None = Field(default=None, max_length=80)
    critical: bool = False


class DecompositionFault(StrictModel):
    """Fault of a decomposition; a `fatal` one fails it, whatever the score."""

    code: FaultCode
    fatal: bool
    subgoal: str | None
    message: str


ScoreAndFaults = tuple[float, list[DecompositionFault]]
"""Score from 0 to 1, with the faults that lower it."""


class SubgoalRange(StrictModel):
    """Number of subgoals, from `least` to `most`."""

    least: int = Field(ge=1)
    most: int = Field(ge=1)


class SubgoalRangeByLevel(StrictModel):
    """Number of subgoals for a query of each complexity."""

    SIMPLE: SubgoalRange
    MEDIUM: SubgoalRange
    COMPLEX: SubgoalRange
    CRITICAL: SubgoalRange

    def for_level(self, level: Level) -> SubgoalRange:
        """Return the range for one complexity."""
        spans = {"SIMPLE": self.SIMPLE, "MEDIUM": self.MEDIUM, "COMPLEX": self.COMPLEX, "CRITICAL": self.CRITICAL}
        return spans[level]
