"""What the doctor is asked and tells: groups of findings, and the steps of mending."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, get_args

from pydantic import BeforeValidator, Field

from aurora.tools.core import StrictModel

from .doctor_finding import GroupRow, Status, to_group_rows
from .model import split_names

if TYPE_CHECKING:
    from collections.abc import Iterable

    from aurora.doctor import FixStep, Report


class DoctorInput(StrictModel):
    """Which checks."""

    only: Annotated[tuple[str, ...], BeforeValidator(split_names)] = Field(
        default=(),
        max_length=50,
        description="Groups (mcp, workflows, memory, project, system) or single checks (memory.fresh); all without.",
    )


class StepRow(StrictModel):
    """One thing that was mended, or that could not be, and why."""

    done: bool
    message: str


class DoctorOutput(StrictModel):
    """What was found; `ok` when nothing fails, be there warnings or not."""

    root: str
    ok: bool
    counts: dict[Status, int] = Field(description="How many lines have each status.")
    groups: tuple[GroupRow, ...]
    fixed: tuple[StepRow, ...] = Field(default=(), description="What was mended before, step by step.")


def to_doctor_output(root: str, report: Report, steps: Iterable[FixStep] = ()) -> DoctorOutput:
    """The report as it is shown."""
    groups = tuple(to_group_rows(report))
    every = [row.status for group in groups for row in group.findings]
    return DoctorOutput(
        root=root,
        ok=report.is_ok,
        counts={status: every.count(status) for status in get_args(Status)},
        groups=groups,
        fixed=tuple(StepRow(done=step.done, message=step.message) for step in steps),
    )
