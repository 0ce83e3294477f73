"""Records of a repository: kept in one database, with a copy in the view of each linked worktree."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .view_store import RecordMerge, ViewStore, mark_shared, merge_records

__all__ = ["RecordMerge", "ViewStore", "mark_shared", "merge_records"]

__getattr__ = export_lazily(
    __name__,
    {"view_store": ["RecordMerge", "ViewStore", "mark_shared", "merge_records"]},
)
