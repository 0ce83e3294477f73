"""Subgoals of a decomposition: their number, ids, order, dependencies and faults."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field, StringConstraints

from aurora.tools.core import StrictModel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aurora.tools.reasoning.complexity.lexicon import Level


def find_order_faults(subgoals: Sequence[Subgoal]) -> list[DecompositionFault]:
    """Find faults that make every order impossible; all of them are fatal."""
    return [*_find_duplicates(subgoals), *_find_unknown_dependencies(subgoals), *_find_cycles(subgoals)]


def find_count_faults(subgoals: Sequence[Subgoal], span: SubgoalRange) -> list[DecompositionFault]:
    """Find a number of subgoals outside the range."""
    count = len(subgoals)
    if span.least <= count <= span.most:
        return []
    code: FaultCode = "too_few" if count < span.least else "too_many"
    message = f"{count} subgoals; expected {span.least} to {span.most} for this query"
    return [DecompositionFault(code=code, fatal=False, subgoal=None, message=message)]


def _find_duplicates(subgoals: Sequence[Subgoal]) -> list[DecompositionFault]:
    ids = [one.id for one in subgoals]
    return [
        DecompositionFault(
            code="duplicate_id", fatal=True, subgoal=name, message=f'{ids.count(name)} subgoals have the id "{name}"'
        )
        for name in dict.fromkeys(ids)
        if ids.count(name) > 1
    ]


def _find_unknown_dependencies(subgoals: Sequence[Subgoal]) -> list[DecompositionFault]:
    ids = {one.id for one in subgoals}
    return [
        DecompositionFault(
            code="unknown_dependency",
            fatal=True,
            subgoal=one.id,
            message=f'subgoal "{one.id}" depends on "{other}", which does not exist',
        )
        for one in subgoals
        for other in one.depends_on
        if other not in ids
    ]


def _find_cycles(subgoals: Sequence[Subgoal]) -> list[DecompositionFault]:
    """Find subgoals that wait for each other, by removing all that have an order."""
    ids = {one.id for one in subgoals}
    waiting = {one.id: set(one.depends_on) & ids for one in subgoals}
    while ready := [name for name, needs in waiting.items() if not needs & waiting.keys()]:
        for name in ready:
            del waiting[name]
    if not waiting:
        return []
    ring = ", ".join(f'"{name}"' for name in sorted(waiting))
    message = f"{ring} wait for each other" if len(waiting) > 1 else f"{ring} depends on itself"
    return [DecompositionFault(code="cycle", fatal=True, subgoal=min(waiting), message=message)]


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
