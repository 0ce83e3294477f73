"""What the doctor is asked and tells: groups of findings, and the steps of mending."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, get_args

from pydantic import BeforeValidator, Field

from .declaration import Strict
from .init_model import names

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..doctor import Finding, Report, Step

Status = Literal["pass", "warn", "fail", "skip"]


class DoctorInput(Strict):
    """Which checks."""

    only: Annotated[tuple[str, ...], BeforeValidator(names)] = Field(
        default=(),
        max_length=50,
        description="Groups (mcp, workflows, memory, project, system) or single checks (memory.fresh); all without.",
    )


class FindingRow(Strict):
    """One line: what was looked at, and how it was found."""

    check: str = Field(description="The check's name.")
    status: Status
    message: str
    fixable: bool = Field(description="Whether `doctor.fix` mends it.")
    steps: tuple[str, ...] = Field(description="What a person does to put it right.")


class GroupRow(Strict):
    """Checks that belong together."""

    name: str
    title: str
    findings: tuple[FindingRow, ...]


class StepRow(Strict):
    """One thing that was mended, or that could not be, and why."""

    done: bool
    message: str


class DoctorOutput(Strict):
    """What was found; `ok` when nothing fails, be there warnings or not."""

    root: str
    ok: bool
    counts: dict[Status, int] = Field(description="How many lines have each status.")
    groups: tuple[GroupRow, ...]
    fixed: tuple[StepRow, ...] = Field(default=(), description="What was mended before, step by step.")


def told(root: str, report: Report, steps: Iterable[Step] = ()) -> DoctorOutput:
    """The report as it is shown."""
    groups = tuple(
        GroupRow(name=one.name, title=one.title, findings=tuple(_row(found) for found in one.findings))
        for one in report.sections
    )
    every = [row.status for group in groups for row in group.findings]
    return DoctorOutput(
        root=root,
        ok=report.ok,
        counts={status: every.count(status) for status in get_args(Status)},
        groups=groups,
        fixed=tuple(StepRow(done=step.done, message=step.message) for step in steps),
    )


def _row(found: Finding) -> FindingRow:
    return FindingRow(
        check=found.check,
        status=found.status.value,
        message=found.message,
        fixable=found.fixable,
        steps=found.remedy.steps if found.remedy else (),
    )
