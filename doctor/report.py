"""Report of the doctor: findings by group."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .finding import PROBLEM_STATUSES, Status

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .finding import Finding


@dataclass(frozen=True, slots=True)
class Section:
    """Findings of one group."""

    name: str
    title: str
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """Findings of all groups, in the order of the groups and their checks."""

    sections: tuple[Section, ...]

    @property
    def findings(self) -> Iterator[Finding]:
        """All findings."""
        return (finding for section in self.sections for finding in section.findings)

    @property
    def is_ok(self) -> bool:
        """True when no finding is a failure; warnings are allowed."""
        return not any(finding.status is Status.FAIL for finding in self.findings)

    @property
    def fixable_findings(self) -> tuple[Finding, ...]:
        """Findings that `--fix` can fix."""
        return tuple(finding for finding in self.findings if finding.is_fixable)

    @property
    def manual_findings(self) -> tuple[Finding, ...]:
        """Findings that need a person."""
        return tuple(
            finding for finding in self.findings if finding.status in PROBLEM_STATUSES and not finding.is_fixable
        )
