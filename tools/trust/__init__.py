"""Workflows and agents that a project brings: what they are, and whether they are used."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .prepare import check_large_workflows
    from .report import TrustReport, build_report
    from .survey import build_notice, survey_project, survey_untrusted

__all__ = [
    "TrustReport",
    "build_notice",
    "build_report",
    "check_large_workflows",
    "survey_project",
    "survey_untrusted",
]

__getattr__ = export_lazily(
    __name__,
    {
        "prepare": ["check_large_workflows"],
        "report": ["TrustReport", "build_report"],
        "survey": ["build_notice", "survey_project", "survey_untrusted"],
    },
)
