"""Registry of the groups of checks; a new group is one file and one line here."""

from __future__ import annotations

from aurora.doctor.checks import memory as memory_checks
from aurora.doctor.checks import project as project_checks
from aurora.doctor.checks import system as system_checks
from aurora.doctor.checks import workflows as workflow_checks
from aurora.doctor.checks.mcp import group as mcp_functional

GROUPS = (
    mcp_functional.GROUP,
    workflow_checks.GROUP,
    memory_checks.GROUP,
    project_checks.GROUP,
    system_checks.GROUP,
)
"""In display order."""
