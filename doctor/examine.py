"""Selection and run of the checks: all, those of some groups, or single ones."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from aurora.faults import Code, Fault, did_you_mean, quote_names

from .registry import GROUPS
from .report import Report, Section
from .runner import run_checks

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .check import Group
    from .context import DoctorContext


def examine_project(subject: DoctorContext, only: Iterable[str] = ()) -> Report:
    """Run the named checks, or all of them; change nothing.

    Args:
        subject: the project.
        only: names of groups (`mcp`) or of single checks (`memory.fresh`).

    Raises:
        Fault: NOT_FOUND for an unknown name. A problem of the project is a finding, never an exception.
    """
    wanted = select_groups(only)
    found = run_checks([check for group in wanted for check in group.checks], subject)
    return Report(
        tuple(
            Section(group.name, group.title, tuple(one for check in group.checks for one in found[check.name]))
            for group in wanted
        )
    )


def select_groups(only: Iterable[str]) -> tuple[Group, ...]:
    """Select the groups and checks with these names, in registry order.

    Raises:
        Fault: NOT_FOUND with the nearest name as a suggestion.
    """
    names = set(only)
    known = {group.name for group in GROUPS} | {check.name for group in GROUPS for check in group.checks}
    for name in sorted(names - known):
        meant = did_you_mean(name[:80], known)
        raise Fault(
            Code.NOT_FOUND,
            f'there is no check "{name[:80]}"' + (f"; {meant}" if meant else ""),
            help=f"The groups are {quote_names(group.name for group in GROUPS)}; "
            "`aur doctor --json` names single checks.",
            details={"check": name[:80], "choices": sorted(known)},
        )
    meant_groups = []
    for group in GROUPS:
        checks = tuple(one for one in group.checks if not names or group.name in names or one.name in names)
        if checks:
            meant_groups.append(replace(group, checks=checks))
    return tuple(meant_groups)
