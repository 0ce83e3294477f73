"""Tasks that are due, and the results that have come in."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from aurora.tools.core import StrictModel

Status = Literal["done", "failed", "skipped"]


class SubmittedResult(StrictModel):
    """A result as the host brings it; without an id it belongs to the due task at the same place."""

    id: str | None = Field(default=None, max_length=40)
    status: Literal["done", "failed"]
    output: str = Field(min_length=1, max_length=20_000)
    citations: tuple[str, ...] = Field(default=(), max_length=50)


class TaskResult(StrictModel):
    """A result as it is carried on: the output may be cut, since the host has the whole."""

    id: str
    status: Status
    output: str
    citations: tuple[str, ...] = ()
    critical: bool = False


class DueTask(StrictModel):
    """A task that may begin now; `depends_on` tells which results it builds on."""

    id: str
    description: str
    agent: str | None
    critical: bool
    depends_on: tuple[str, ...]


class Collection(StrictModel):
    """Where the work stands.

    Attributes:
        tasks: what is due now; empty once all is done.
        results: every result so far, in the order of the plan.
        done: whether nothing is left.
        wave: the wave that is due, or the last one; waves: how many there are.
        broken: critical tasks that failed or were skipped.
    """

    tasks: tuple[DueTask, ...]
    results: tuple[TaskResult, ...]
    done: bool
    wave: int
    waves: int
    broken: tuple[str, ...]
