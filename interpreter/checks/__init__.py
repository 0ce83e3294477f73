"""Checks of a workflow definition: one module per family of checks, listed in the registry."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .decisions import PhaseOutcomes, analyse_rules, find_dead_rules
    from .registry import check_definition, check_valid_phases, has_errors
    from .view import KnownWorkflows, WorkflowView, view_definition

__all__ = [
    "KnownWorkflows",
    "PhaseOutcomes",
    "WorkflowView",
    "analyse_rules",
    "check_definition",
    "check_valid_phases",
    "find_dead_rules",
    "has_errors",
    "view_definition",
]

__getattr__ = export_lazily(
    __name__,
    {
        "decisions": ["PhaseOutcomes", "analyse_rules", "find_dead_rules"],
        "registry": ["check_definition", "check_valid_phases", "has_errors"],
        "view": ["KnownWorkflows", "WorkflowView", "view_definition"],
    },
)
