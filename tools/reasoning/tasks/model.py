"""Due tasks, and their results."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from aurora.tools.core import StrictModel
from aurora.tools.reasoning.context.evidence import Evidence
from aurora.tools.reasoning.decomposition.places import ResolvedPlace

Status = Literal["done", "failed", "skipped"]


class SubmittedResult(StrictModel):
    """Result from the host; without an id, of the due task at the same index."""

    id: str | None = Field(default=None, max_length=40)
    status: Literal["done", "failed"]
    output: str = Field(min_length=1, max_length=20_000)
    citations: tuple[str, ...] = Field(default=(), max_length=50)


class TaskResult(StrictModel):
    """Result that later calls contain; its output may be truncated, since the host has all of it."""

    id: str
    status: Status
    output: str
    citations: tuple[str, ...] = ()
    critical: bool = False


class DueTask(StrictModel):
    """Task that can begin now.

    Attributes:
        depends_on: the tasks whose results it needs.
        places: what each place of its `where` is, or what is nearest to it.
        again: places that the run has shown before.
        evidence: the text of its places, and of the nearest others.
    """

    id: str
    description: str
    agent: str | None
    critical: bool
    depends_on: tuple[str, ...]
    places: tuple[ResolvedPlace, ...] = ()
    again: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()


class Collection(StrictModel):
    """State of the work.

    Attributes:
        tasks: due tasks; empty when all are done.
        results: all results so far, in the order of the plan.
        done: True when no task is left.
        wave: the wave that is due, or the last one; waves: number of waves.
        broken: critical tasks that failed or were skipped.
    """

    tasks: tuple[DueTask, ...]
    results: tuple[TaskResult, ...]
    done: bool
    wave: int
    waves: int
    broken: tuple[str, ...]
