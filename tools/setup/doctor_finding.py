"""A finding of the doctor's and a group of them, as the doctor shows them and as setting up does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from aurora.tools.core import StrictModel

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.doctor import Finding, Report

Status = Literal["pass", "warn", "fail", "skip"]


class FindingRow(StrictModel):
    """One line: what was looked at, and how it was found."""

    check: str = Field(description="The check's name.")
    kind: str = Field(description="The finding's lasting name, as mcp.config.stale; empty for what is right.")
    status: Status
    message: str
    fixable: bool = Field(description="Whether `doctor.fix` mends it.")
    steps: tuple[str, ...] = Field(description="What a person does to put it right.")


class GroupRow(StrictModel):
    """Checks that belong together."""

    name: str
    title: str
    findings: tuple[FindingRow, ...]


def to_group_rows(report: Report) -> Iterator[GroupRow]:
    """The report, group by group."""
    for one in report.sections:
        yield GroupRow(name=one.name, title=one.title, findings=tuple(_to_row(found) for found in one.findings))


def _to_row(found: Finding) -> FindingRow:
    return FindingRow(
        check=found.check,
        kind=found.kind,
        status=found.status.value,
        message=found.message,
        fixable=found.is_fixable,
        steps=found.remedy.steps if found.remedy else (),
    )
