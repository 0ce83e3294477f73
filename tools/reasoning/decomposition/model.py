"""Subgoals of a decomposition, and their number by complexity."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from aurora.tools.core import StrictModel

if TYPE_CHECKING:
    from aurora.tools.reasoning.complexity import Level


class Subgoal(StrictModel):
    """Subgoal; `agent` None means the host, `critical` that the answer fails without it."""

    id: str = Field(min_length=1, max_length=40)
    description: str = Field(min_length=1, max_length=500)
    depends_on: tuple[str, ...] = Field(default=(), max_length=20)
    agent: str | None = Field(default=None, max_length=80)
    critical: bool = False


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
