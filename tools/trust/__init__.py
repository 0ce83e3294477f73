"""Workflows and agents that a project brings: what they are, and whether they are used."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .contents import OwnContents, is_case_trusted, is_definition_trusted, read_contents
    from .prepare import check_large_workflows
    from .report import TrustReport, build_report
    from .survey import build_notice, is_file_trusted, survey_project, survey_unused

__all__ = [
    "OwnContents",
    "TrustReport",
    "build_notice",
    "build_report",
    "check_large_workflows",
    "is_case_trusted",
    "is_definition_trusted",
    "is_file_trusted",
    "read_contents",
    "survey_project",
    "survey_unused",
]

__getattr__ = export_lazily(
    __name__,
    {
        "contents": ["OwnContents", "is_case_trusted", "is_definition_trusted", "read_contents"],
        "prepare": ["check_large_workflows"],
        "report": ["TrustReport", "build_report"],
        "survey": ["build_notice", "is_file_trusted", "survey_project", "survey_unused"],
    },
)
