"""The catalog of workflows: files, fixes, suppressions and new workflows."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .catalog import Catalog, WorkflowSummary
    from .fix import apply_fixes
    from .kept import is_large
    from .paths import MAX_ENTRIES, WORKFLOW_SUFFIXES, WorkflowPaths, list_workflow_files
    from .starter import NAME_PATTERN, create_blank, create_copy
    from .trusted_paths import ProjectTrust

__all__ = [
    "MAX_ENTRIES",
    "NAME_PATTERN",
    "WORKFLOW_SUFFIXES",
    "Catalog",
    "ProjectTrust",
    "WorkflowPaths",
    "WorkflowSummary",
    "apply_fixes",
    "create_blank",
    "create_copy",
    "is_large",
    "list_workflow_files",
]

__getattr__ = export_lazily(
    __name__,
    {
        "catalog": ["Catalog", "WorkflowSummary"],
        "fix": ["apply_fixes"],
        "kept": ["is_large"],
        "paths": ["MAX_ENTRIES", "WORKFLOW_SUFFIXES", "WorkflowPaths", "list_workflow_files"],
        "starter": ["NAME_PATTERN", "create_blank", "create_copy"],
        "trusted_paths": ["ProjectTrust"],
    },
)
