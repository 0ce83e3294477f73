"""A plan: who does what, in which order, and who is missing."""

from __future__ import annotations

from pydantic import Field

from aurora.tools.core import StrictModel


class Task(StrictModel):
    """A subgoal with the one who does it; `agent` None means the host itself; `wave` counts from 1."""

    id: str = Field(min_length=1, max_length=40)
    description: str = Field(min_length=1, max_length=500)
    agent: str | None
    reason: str
    depends_on: tuple[str, ...]
    critical: bool
    wave: int = Field(ge=1)


class MissingAgent(StrictModel):
    """An agent that was asked for and does not exist: what it would have to be, and where it would stand."""

    subgoal: str
    agent: str
    description: str
    path: str


class Plan(StrictModel):
    """The tasks in the order of their waves; a wave may begin when the one before it is done."""

    tasks: tuple[Task, ...]
    waves: tuple[tuple[str, ...], ...]
    gaps: tuple[MissingAgent, ...] = ()
