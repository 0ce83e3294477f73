"""Checks that tools and phases load, and that server and CLI share a database."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.doctor.finding import report_failure, report_nothing, report_pass, report_skip
from aurora.faults import Fault, read_value
from aurora.hosts import DEFAULT_TOOLS
from aurora.memory import database_path

from .entries import find_changed_settings, list_entries, resolve_entry_database

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.doctor.context import DoctorContext
    from aurora.doctor.finding import Finding

    from .entries import ServerEntry


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
        yield report_failure("mcp.phases.broken", fault.details.get("problems", [fault.message])[0], step)
        return
    if flow.fallback_reason:  # this process has loaded a valid version before
        yield report_failure("mcp.phases.broken", f'the workflow "{name}" does not load: {flow.fallback_reason}', step)
        return
    yield report_pass(f"the {len(flow.workflow.phases)} phases of {name} can be loaded")


def check_database(context: DoctorContext) -> Iterator[Finding]:
    """Check that each server opens the memory of the command line, in a file or in a database server."""
    found = list_entries(context)
    if not found:
        yield report_nothing("no assistant's file starts a server here, which might open another memory")
    for url in dict.fromkeys(entry.state.url for entry in found if entry.state.url):
        yield report_skip("mcp.database.elsewhere", f"{url} has its own memory, not that of `aur mem` here")
    here = database_path(context.root, context.environ)
    for entry in found:
        if entry.state.url:
            continue
        changed = find_changed_settings(entry, context)
        if changed:
            yield _report_settings(entry, " and ".join(changed))
            continue
        if read_value("AURORA_DATABASE", context.environ):
            continue  # then no file is opened
        there = resolve_entry_database(entry, context)
        if there is not None and there.resolve() != here.resolve():
            yield report_failure(
                "mcp.database.other",
                f'{entry.state.file}: the server opens "{there}", and the command line "{here}"',
                f'Remove AURORA_DB from the entry "{entry.state.server}" in {entry.state.file}, or set it to the same '
                "in your shell.",
            )


def _report_settings(entry: ServerEntry, names: str) -> Finding:
    return report_failure(
        "mcp.database.other",
        f"{entry.state.file}: the server has another {names} than the command line, and opens another memory",
        f'Remove {names} from the entry "{entry.state.server}" in {entry.state.file}, or set the same in your shell.',
    )
