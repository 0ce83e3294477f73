"""Check of the programs that phases may run: the configuration, and each program."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.doctor.finding import report_failure, report_nothing, report_pass, report_warning
from aurora.faults import Fault

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.doctor.context import DoctorContext
    from aurora.doctor.finding import Finding


def check_commands(context: DoctorContext) -> Iterator[Finding]:
    """List what the person allows in this project, and the programs that are missing."""
    try:
        allowed = context.equipment.allowed_commands()
    except Fault as fault:
        yield report_failure("project.commands.unreadable", fault.message, fault.help)
        return
    if not allowed:
        yield report_nothing("phases may run no program here, because your config.toml allows none")
    for command in allowed:
        if command.missing:
            step = "Install it, or correct its entry in your config.toml."
            yield report_warning("project.commands.missing", command.missing, step)
        else:
            yield report_pass(f"phases may run: {command.text}")
