"""Registry of the groups of checks; a new group is one file and one line here."""

from __future__ import annotations

from aurora.doctor.checks import mcp, memory, project, system, workflows

GROUPS = (
    mcp.GROUP,
    workflows.GROUP,
    memory.GROUP,
    project.GROUP,
    system.GROUP,
)
"""In display order."""
