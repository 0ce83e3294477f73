"""What an examination found, group by group."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .finding import PROBLEM_STATUSES, Status

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .finding import Finding


@dataclass(frozen=True, slots=True)
class Section:
    """The findings of one group."""

    name: str
    title: str
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """All of them, in the order of the groups and their checks."""

    sections: tuple[Section, ...]

    @property
    def findings(self) -> Iterator[Finding]:
        """Every finding."""
        return (finding for section in self.sections for finding in section.findings)

    @property
    def is_ok(self) -> bool:
        """Whether nothing fails; warnings are no failure."""
        return not any(finding.status is Status.FAIL for finding in self.findings)

    @property
    def fixable_findings(self) -> tuple[Finding, ...]:
        """What `--fix` mends."""
        return tuple(finding for finding in self.findings if finding.is_fixable)

    @property
    def manual_findings(self) -> tuple[Finding, ...]:
        """What needs a person."""
        return tuple(
            finding for finding in self.findings if finding.status in PROBLEM_STATUSES and not finding.is_fixable
        )
