"""The doctor: checks of a project and its machine, what they find, and what is safe to mend."""

from aurora.doctor.checks.mcp.group import MCPFunctionalChecks

from .check import Check, Group
from .codes import KINDS
from .context import Equipment, Subject
from .examine import examine
from .finding import Finding, Remedy, Status
from .fix import Step, mend
from .registry import GROUPS
from .report import Report, Section

__all__ = [
    "GROUPS",
    "KINDS",
    "Check",
    "Equipment",
    "Finding",
    "Group",
    "MCPFunctionalChecks",
    "Remedy",
    "Report",
    "Section",
    "Status",
    "Step",
    "Subject",
    "examine",
    "mend",
]
