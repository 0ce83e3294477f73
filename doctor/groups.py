"""The groups of checks, in one literal; another group is another file and another line."""

from __future__ import annotations

from . import mcp_functional, memory_checks, project_checks, system_checks, workflow_checks

GROUPS = (
    mcp_functional.GROUP,
    workflow_checks.GROUP,
    memory_checks.GROUP,
    project_checks.GROUP,
    system_checks.GROUP,
)
"""In the order in which they are shown."""
