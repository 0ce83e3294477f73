"""Check of the tools that installed distributions declare."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.doctor.finding import report_nothing, report_pass, report_warning

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.doctor.context import DoctorContext
    from aurora.doctor.finding import Finding


def check_extensions(context: DoctorContext) -> Iterator[Finding]:
    """List the tools of distributions, and why a broken one cannot be used."""
    tools = context.equipment.extension_tools()
    if not tools:
        yield report_nothing("no installed distribution has tools for Aurora")
    for tool in tools:
        if tool.fault:
            yield report_warning("system.extensions.broken", tool.fault, "Correct or uninstall the distribution.")
        else:
            yield report_pass(f"the tool {tool.name} of {tool.distribution} can be used")
