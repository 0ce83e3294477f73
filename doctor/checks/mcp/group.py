"""Group of the checks that an assistant can call Aurora."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.doctor.check import Check, Group
from aurora.doctor.finding import PROBLEM_STATUSES
from aurora.doctor.runner import run_checks

from .config import check_config
from .imports import check_database, check_phases, check_tools
from .leftovers import check_leftovers
from .references import check_references
from .server import check_handshake, check_stateless

if TYPE_CHECKING:
    from aurora.doctor.context import DoctorContext
    from aurora.doctor.finding import Finding

_SERVER_TIMEOUT = 20.0
"""Seconds; longer than the timeout of the server itself."""

GROUP = Group(
    "mcp",
    "MCP Integration Checks",
    (
        Check("mcp.config", "the assistants' files are valid", check_config),
        Check("mcp.tools", "aurora_query, aurora_search and aurora_get can be loaded", check_tools),
        Check("mcp.phases", "the phases can be loaded", check_phases),
        Check("mcp.server", "the server starts", check_handshake, seconds=_SERVER_TIMEOUT),
        Check(
            "mcp.stateless",
            "the server answers without a handshake",
            check_stateless,
            seconds=_SERVER_TIMEOUT,
        ),
        Check("mcp.database", "the server and the command line open the same memory", check_database),
        Check(
            "mcp.references",
            "slash commands, skills, agents and notes agree with the assistants' configuration",
            check_references,
        ),
        Check("mcp.leftovers", "nothing names a tool that was removed", check_leftovers),
    ),
)


class MCPFunctionalChecks:
    """Functional checks of the MCP configuration of one project.

    Args:
        context: the project.
    """

    def __init__(self, context: DoctorContext) -> None:
        self._context = context
        self._findings: tuple[Finding, ...] | None = None

    def run_checks(self) -> tuple[Finding, ...]:
        """Run the checks and return all findings in order; cache them until the next run."""
        found = run_checks(GROUP.checks, self._context)
        self._findings = tuple(finding for check in GROUP.checks for finding in found[check.name])
        return self._findings

    def get_fixable_issues(self) -> tuple[Finding, ...]:
        """Return the warnings and failures that have a fix; run the checks if needed."""
        return tuple(finding for finding in self._get_findings() if finding.is_fixable)

    def get_manual_issues(self) -> tuple[Finding, ...]:
        """Return the warnings and failures that need a person, each with its steps."""
        return tuple(one for one in self._get_findings() if one.status in PROBLEM_STATUSES and not one.is_fixable)

    def _get_findings(self) -> tuple[Finding, ...]:
        return self.run_checks() if self._findings is None else self._findings
