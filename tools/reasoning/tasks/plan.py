"""Plan: tasks with their agents and waves, and missing agents."""

from __future__ import annotations

from pydantic import Field

from aurora.tools.core import StrictModel


class Task(StrictModel):
    """Subgoal with its agent and places; `agent` None means the host; `wave` counts from 1."""

    id: str = Field(min_length=1, max_length=40)
    description: str = Field(min_length=1, max_length=500)
    agent: str | None
    reason: str
    depends_on: tuple[str, ...]
    critical: bool
    wave: int = Field(ge=1)
    where: tuple[str, ...] = Field(default=(), max_length=20)


class MissingAgent(StrictModel):
    """Agent that a subgoal names and that does not exist, with its description and path."""

    subgoal: str
    agent: str
    description: str
    path: str


class AssignedAgent(StrictModel):
    """Agent that a task is for."""

    task: str
    agent: str


class Plan(StrictModel):
    """Tasks in the order of their waves, and the agents of those that have one.

    A wave begins when the one before it is done.
    """

    tasks: tuple[Task, ...]
    waves: tuple[tuple[str, ...], ...]
    gaps: tuple[MissingAgent, ...] = ()
    agents: tuple[AssignedAgent, ...] = ()
