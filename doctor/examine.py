"""The examination: all checks, those of some groups, or single ones, on one project."""

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
    """Run these checks, all when none is named; nothing is changed.

    Args:
        subject: the project.
        only: names of groups (`mcp`) or of single checks (`memory.fresh`).

    Raises:
        Fault: NOT_FOUND for a name that is neither. What is wrong with the project is found, never raised.
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
    """The groups of these names, each with those of its checks that are meant; in their own order.

    Raises:
        Fault: NOT_FOUND, with the nearest name.
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
