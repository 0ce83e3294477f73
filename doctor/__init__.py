"""Doctor: checks of a project and its machine, their findings and safe fixes."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .check import Check, Group
    from .codes import FINDING_CODES
    from .context import CommandStatus, DoctorContext, Equipment, ToolStatus
    from .examine import examine_project
    from .finding import Finding, Remedy, Status
    from .fix import FixStep, fix_findings
    from .registry import GROUPS
    from .report import Report, Section

__all__ = [
    "FINDING_CODES",
    "GROUPS",
    "Check",
    "CommandStatus",
    "DoctorContext",
    "Equipment",
    "Finding",
    "FixStep",
    "Group",
    "Remedy",
    "Report",
    "Section",
    "Status",
    "ToolStatus",
    "examine_project",
    "fix_findings",
]

__getattr__ = export_lazily(
    __name__,
    {
        "check": ["Check", "Group"],
        "codes": ["FINDING_CODES"],
        "context": ["CommandStatus", "DoctorContext", "Equipment", "ToolStatus"],
        "examine": ["examine_project"],
        "finding": ["Finding", "Remedy", "Status"],
        "fix": ["FixStep", "fix_findings"],
        "registry": ["GROUPS"],
        "report": ["Report", "Section"],
    },
)
