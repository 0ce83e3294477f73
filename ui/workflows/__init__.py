"""Workflows as the page shows them: a phase in the panel, coverage, and differences."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .changes import compare_with_shipped
    from .coverage import build_coverage
    from .fired import read_fired
    from .panel import build_phase_panel, describe_problem, list_files

__all__ = [
    "build_coverage",
    "build_phase_panel",
    "compare_with_shipped",
    "describe_problem",
    "list_files",
    "read_fired",
]

__getattr__ = export_lazily(
    __name__,
    {
        "changes": ["compare_with_shipped"],
        "coverage": ["build_coverage"],
        "fired": ["read_fired"],
        "panel": ["build_phase_panel", "describe_problem", "list_files"],
    },
)
