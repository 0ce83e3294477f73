"""Checks that tools and phases load, and that server and CLI share a database."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.doctor.finding import report_failure, report_pass
from aurora.faults import Fault
from aurora.hosts import DEFAULT_TOOLS
from aurora.memory import database_path

from .entries import list_entries, resolve_entry_database

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.doctor.context import DoctorContext
    from aurora.doctor.finding import Finding


def check_tools(context: DoctorContext) -> Iterator[Finding]:
    """Check that the three tools load and no other is offered by default."""
    offered = context.equipment.offered()
    if set(offered) != set(DEFAULT_TOOLS):
        message = f"this installation offers {', '.join(offered)}, and not {', '.join(DEFAULT_TOOLS)}"
        yield report_failure("mcp.tools.others", message, "Reinstall Aurora; its files are of different versions.")


def check_phases(context: DoctorContext) -> Iterator[Finding]:
    """Check that the default workflow loads with all its phases."""
    name = context.equipment.workflow
    step = f"Run `aur workflow validate {name}`."
    try:
        flow = context.equipment.catalog().load(name)
    except Fault as fault:
        yield report_failure("mcp.phases.broken", fault.message, step)
        return
    if flow.fallback_reason:  # this process has loaded a valid version before
        yield report_failure("mcp.phases.broken", f'the workflow "{name}" does not load: {flow.fallback_reason}', step)
        return
    yield report_pass(f"the {len(flow.workflow.phases)} phases of {name} can be loaded")


def check_database(context: DoctorContext) -> Iterator[Finding]:
    """Check that each server opens the database of the command line."""
    here = database_path(context.root, context.environ)
    found = list_entries(context)
    for entry in found:
        there = resolve_entry_database(entry, context)
        if there is not None and there.resolve() != here.resolve():
            yield report_failure(
                "mcp.database.other",
                f'{entry.state.file}: the server opens "{there}", and the command line "{here}"',
                f'Remove AURORA_DB from the entry "{entry.state.server}" in {entry.state.file}, or set it to the same '
                "in your shell.",
            )
