"""Workflows and agents that a project brings: what they are, and whether they are used."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .report import TrustReport, build_report
    from .survey import build_notice, survey_project, survey_untrusted

__all__ = ["TrustReport", "build_notice", "build_report", "survey_project", "survey_untrusted"]

__getattr__ = export_lazily(
    __name__,
    {
        "report": ["TrustReport", "build_report"],
        "survey": ["build_notice", "survey_project", "survey_untrusted"],
    },
)
