"""Input and output of the doctor: groups of findings, and the steps of a fix."""

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
    """Checks to run."""

    only: Annotated[tuple[str, ...], BeforeValidator(split_names)] = Field(
        default=(),
        max_length=50,
        description="Groups (mcp, workflows, memory, project, system) or checks (memory.fresh); by default all.",
    )


class StepRow(StrictModel):
    """Step of a fix, done or failed, with the reason."""

    done: bool
    message: str


class DoctorOutput(StrictModel):
    """Findings; `ok` when no check fails, even with warnings, and no step of a fix is left."""

    root: str
    ok: bool
    counts: dict[Status, int] = Field(description="Number of findings by status.")
    groups: tuple[GroupRow, ...]
    fixed: tuple[StepRow, ...] = Field(default=(), description="Steps of the fix before the checks.")


def to_doctor_output(root: str, report: Report, steps: Iterable[FixStep] = ()) -> DoctorOutput:
    """Convert the doctor's report to the tool's output."""
    groups = tuple(to_group_rows(report))
    fixed = tuple(StepRow(done=step.done, message=step.message) for step in steps)
    statuses = [row.status for group in groups for row in group.findings]
    return DoctorOutput(
        root=root,
        ok=report.is_ok and all(step.done for step in fixed),
        counts={status: statuses.count(status) for status in get_args(Status)},
        groups=groups,
        fixed=fixed,
    )
