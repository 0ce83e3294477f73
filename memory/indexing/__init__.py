"""Indexing: reading changed files into the memory, once or while they change."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .changes import find_changes
    from .freshness import FreshnessMonitor, IndexFreshness, compare_tree, read_indexed_files
    from .reuse import describe_missing_clone
    from .revision import index_revision
    from .run import ignore_progress, index_tree
    from .scope import resolve_root
    from .stages import extract_tree, link_tree, normalize_tree
    from .state import PARTIAL, RUNNING, STOPPED, describe_state, is_run_active, own_run
    from .views import View, list_views, remove_unused_views, start_clone, start_view
    from .watch import IndexUpdate, watch_project
    from .write import begin_run

__all__ = [
    "PARTIAL",
    "RUNNING",
    "STOPPED",
    "FreshnessMonitor",
    "IndexFreshness",
    "IndexUpdate",
    "View",
    "begin_run",
    "compare_tree",
    "describe_missing_clone",
    "describe_state",
    "extract_tree",
    "find_changes",
    "ignore_progress",
    "index_revision",
    "index_tree",
    "is_run_active",
    "link_tree",
    "list_views",
    "normalize_tree",
    "own_run",
    "read_indexed_files",
    "remove_unused_views",
    "resolve_root",
    "start_clone",
    "start_view",
    "watch_project",
]

__getattr__ = export_lazily(
    __name__,
    {
        "changes": ["find_changes"],
        "freshness": ["FreshnessMonitor", "IndexFreshness", "compare_tree", "read_indexed_files"],
        "reuse": ["describe_missing_clone"],
        "revision": ["index_revision"],
        "run": ["ignore_progress", "index_tree"],
        "scope": ["resolve_root"],
        "stages": ["extract_tree", "link_tree", "normalize_tree"],
        "state": ["PARTIAL", "RUNNING", "STOPPED", "describe_state", "is_run_active", "own_run"],
        "views": ["View", "list_views", "remove_unused_views", "start_clone", "start_view"],
        "watch": ["IndexUpdate", "watch_project"],
        "write": ["begin_run"],
    },
)
