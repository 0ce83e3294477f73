"""Check of the agents that a project and its user define."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.doctor.finding import report_nothing, report_pass, report_warning
from aurora.hosts import discover_agents

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.doctor.context import DoctorContext
    from aurora.doctor.finding import Finding


def check_agents(context: DoctorContext) -> Iterator[Finding]:
    """Report each agent definition that is broken, so that workflows do not offer it."""
    root = context.root if context.equipment.trust().trusted else None
    found = discover_agents(root, context.person.home, is_used=context.equipment.is_used)
    for problem in found.problems:
        yield report_warning("project.agents.broken", f"{problem.path}: {problem.message}", problem.help)
    if found.agents:
        count = len(found.agents)
        yield report_pass(f"{count} agent{'' if count == 1 else 's'} can be used")
    elif not found.problems:
        yield report_nothing("neither the project nor you define an agent")
