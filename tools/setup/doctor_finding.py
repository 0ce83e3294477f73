"""Rows of the doctor's findings, for the doctor's report and for setup."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from aurora.tools.core import StrictModel

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.doctor import Finding, Report

Status = Literal["pass", "warn", "fail", "skip"]


class FindingRow(StrictModel):
    """Result of one check."""

    check: str = Field(description="The check's name.")
    kind: str = Field(description="The finding's permanent code, as mcp.config.stale; empty for a passed check.")
    status: Status
    message: str
    fixable: bool = Field(description="True when `doctor.fix` can fix it.")
    steps: tuple[str, ...] = Field(description="Steps for a person to fix it.")


class GroupRow(StrictModel):
    """Group of checks with their findings."""

    name: str
    title: str
    findings: tuple[FindingRow, ...]


def to_group_rows(report: Report) -> Iterator[GroupRow]:
    """Convert the report to rows, group by group."""
    for section in report.sections:
        findings = tuple(_to_row(finding) for finding in section.findings)
        yield GroupRow(name=section.name, title=section.title, findings=findings)


def _to_row(finding: Finding) -> FindingRow:
    return FindingRow(
        check=finding.check,
        kind=finding.kind,
        status=finding.status.value,
        message=finding.message,
        fixable=finding.is_fixable,
        steps=finding.remedy.steps if finding.remedy else (),
    )
