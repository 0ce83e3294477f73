"""Selection and run of the checks: all, those of some groups, or single ones."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from aurora.faults import Code, Fault, did_you_mean, quote_names

from .finding import PROBLEM_STATUSES
from .registry import GROUPS
from .report import Report, Section
from .runner import ignore_check, run_checks

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .check import Group
    from .context import DoctorContext
    from .finding import Finding
    from .runner import ReportCheck


def examine_project(
    context: DoctorContext, only: Iterable[str] = (), *, progress: ReportCheck = ignore_check
) -> Report:
    """Run the named checks, or all of them; change nothing.

    Args:
        context: the project.
        only: names of groups (`mcp`) or of single checks (`memory.fresh`).
        progress: called after each check, as for `run_checks`.

    Raises:
        Fault: NOT_FOUND for an unknown name. A problem of the project is a finding, never an exception.
    """
    groups = select_groups(only)
    findings = run_checks([check for group in groups for check in group.checks], context, progress)
    sections = []
    told: list[str] = []
    for group in groups:
        of_group = tuple(_tell_once([one for check in group.checks for one in findings[check.name]], told))
        sections.append(Section(group.name, group.title, of_group))
    return Report(tuple(sections))


def _tell_once(findings: list[Finding], told: list[str]) -> Iterator[Finding]:
    """Yield the findings without the problems that a check before them has told."""
    for finding in findings:
        is_problem = finding.status in PROBLEM_STATUSES
        if is_problem and any(finding.message.startswith(message) for message in told):
            continue
        yield finding
        told += [finding.message] if is_problem else []


def select_groups(only: Iterable[str]) -> tuple[Group, ...]:
    """Select the groups and checks with these names, in registry order.

    Raises:
        Fault: NOT_FOUND with the nearest name as a suggestion.
    """
    names = set(only)
    known = {group.name for group in GROUPS} | {check.name for group in GROUPS for check in group.checks}
    for name in sorted(names - known):
        suggestion = did_you_mean(name[:80], known)
        raise Fault(
            Code.NOT_FOUND,
            f'there is no check "{name[:80]}"' + (f"; {suggestion}" if suggestion else ""),
            help=f"The groups are {quote_names(group.name for group in GROUPS)}; "
            "`aur doctor --json` lists single checks.",
            details={"check": name[:80], "choices": sorted(known)},
        )
    selected = []
    for group in GROUPS:
        checks = tuple(check for check in group.checks if not names or {group.name, check.name} & names)
        if checks:
            selected.append(replace(group, checks=checks))
    return tuple(selected)
