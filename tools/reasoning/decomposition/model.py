"""Subgoals of a decomposition: their number, ids, order, dependencies, agents and issues."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field, StringConstraints

from aurora.tools.core import CompactModel, StrictModel

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from aurora.tools.reasoning.complexity.lexicon import Level


def find_order_issues(subgoals: Sequence[Subgoal]) -> list[DecompositionIssue]:
    """Find issues that make every order impossible; all of them are fatal."""
    return [*_find_duplicates(subgoals), *_find_unknown_dependencies(subgoals), *_find_cycles(subgoals)]


def find_count_issues(subgoals: Sequence[Subgoal], span: SubgoalRange) -> list[DecompositionIssue]:
    """Find a number of subgoals outside the range."""
    count = len(subgoals)
    if span.least <= count <= span.most:
        return []
    code: IssueCode = "too_few" if count < span.least else "too_many"
    message = f"{count} subgoals; expected {span.least} to {span.most} for this query"
    return [DecompositionIssue(code=code, fatal=False, message=message, remedy="divide or join them")]


def _find_duplicates(subgoals: Sequence[Subgoal]) -> list[DecompositionIssue]:
    ids = [one.id for one in subgoals]
    return [
        DecompositionIssue(
            code="duplicate_id",
            fatal=True,
            subgoal=name,
            message=f'{ids.count(name)} subgoals have the id "{name}"',
            remedy="give each its own id",
        )
        for name in dict.fromkeys(ids)
        if ids.count(name) > 1
    ]


def _find_unknown_dependencies(subgoals: Sequence[Subgoal]) -> list[DecompositionIssue]:
    ids = {one.id for one in subgoals}
    return [
        DecompositionIssue(
            code="unknown_dependency",
            fatal=True,
            subgoal=one.id,
            message=f'subgoal "{one.id}" depends on "{other}", which does not exist',
            remedy="list ids of other subgoals",
        )
        for one in subgoals
        for other in one.depends_on
        if other not in ids
    ]


def _find_cycles(subgoals: Sequence[Subgoal]) -> list[DecompositionIssue]:
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
    return [
        DecompositionIssue(
            code="cycle", fatal=True, subgoal=min(waiting), message=message, remedy="remove one of the dependencies"
        )
    ]


def score_routability(subgoals: Sequence[Subgoal], agents: Collection[str]) -> Scored:
    """Score the share of the named agents that exist; 1 when no agent is named."""
    named = [one for one in subgoals if one.agent]
    known = {name.casefold() for name in agents}
    lost = [one for one in named if (one.agent or "").casefold() not in known]
    choices = ", ".join(f'"{name}"' for name in sorted(agents)[:10])
    issues = [
        DecompositionIssue(
            code="unknown_agent",
            fatal=False,
            subgoal=one.id,
            message=f'subgoal "{one.id}" names the agent "{one.agent}", which does not exist',
            remedy=f"name one of {choices}" if choices else "leave agent out",
        )
        for one in lost
    ]
    return (1 - len(lost) / len(named) if named else 1.0), issues


Claim = Annotated[str, StringConstraints(min_length=1, max_length=300)]


IssueCode = Literal[
    "missing",
    "duplicate_id",
    "unknown_dependency",
    "cycle",
    "too_few",
    "too_many",
    "ungrounded",
    "unknown_agent",
    "unknown_place",
    "repeats_question",
    "repeats_subgoal",
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


class DecompositionIssue(CompactModel):
    """Issue of a decomposition with its remedy; a `fatal` one fails it, whatever the score."""

    code: IssueCode
    fatal: bool
    subgoal: str | None = None
    message: str
    remedy: str


Scored = tuple[float, list[DecompositionIssue]]
"""Score from 0 to 1, with the issues that lower it."""


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
