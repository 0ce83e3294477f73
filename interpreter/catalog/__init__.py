"""The catalog of workflows: files, fixes, suppressions and new workflows."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .catalog import Catalog, WorkflowSummary
    from .fix import apply_fixes
    from .kept import is_large
    from .paths import MAX_ENTRIES, WORKFLOW_SUFFIXES, WorkflowPaths, list_workflow_files
    from .query_schema import build_query_schema
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
    "build_query_schema",
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
        "query_schema": ["build_query_schema"],
        "starter": ["NAME_PATTERN", "create_blank", "create_copy"],
        "trusted_paths": ["ProjectTrust"],
    },
)
