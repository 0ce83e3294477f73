"""Checks of a workflow definition: one module per concern, listed in the registry."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .registry import check_definition, check_valid_phases, has_errors
    from .view import KnownWorkflows, WorkflowView, view_definition

__all__ = [
    "KnownWorkflows",
    "WorkflowView",
    "check_definition",
    "check_valid_phases",
    "has_errors",
    "view_definition",
]

__getattr__ = export_lazily(
    __name__,
    {
        "registry": ["check_definition", "check_valid_phases", "has_errors"],
        "view": ["KnownWorkflows", "WorkflowView", "view_definition"],
    },
)
