"""The doctor: checks of a project and its machine, what they find, and what is safe to mend."""

from .check import Check, Group
from .examining import examine
from .finding import Finding, Remedy, Status
from .groups import GROUPS
from .kinds import KINDS
from .mcp_functional import MCPFunctionalChecks
from .mending import Step, mend
from .report import Report, Section
from .subject import Equipment, Subject

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
