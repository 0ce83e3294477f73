"""Doctor: checks of a project and its machine, their findings and safe fixes."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .examine import FixStep, examine_project, fix_findings
    from .model import (
        FINDING_CODES,
        Check,
        CommandStatus,
        DoctorContext,
        Finding,
        Report,
        Status,
        ToolStatus,
    )
    from .registry import GROUPS

__all__ = [
    "FINDING_CODES",
    "GROUPS",
    "Check",
    "CommandStatus",
    "DoctorContext",
    "Finding",
    "FixStep",
    "Report",
    "Status",
    "ToolStatus",
    "examine_project",
    "fix_findings",
]

__getattr__ = export_lazily(
    __name__,
    {
        "examine": ["FixStep", "examine_project", "fix_findings"],
        "model": [
            "FINDING_CODES",
            "Check",
            "CommandStatus",
            "DoctorContext",
            "Finding",
            "Report",
            "Status",
            "ToolStatus",
        ],
        "registry": ["GROUPS"],
    },
)
