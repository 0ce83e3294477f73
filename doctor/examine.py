"""Selection and run of the checks: all, those of some groups, or single ones."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from aurora.faults import Code, Fault, did_you_mean, quote_names

from .registry import GROUPS
from .report import Report, Section
from .runner import ignore_check, run_checks

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .check import Group
    from .context import DoctorContext
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
    for group in groups:
        of_group = tuple(finding for check in group.checks for finding in findings[check.name])
        sections.append(Section(group.name, group.title, of_group))
    return Report(tuple(sections))


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
