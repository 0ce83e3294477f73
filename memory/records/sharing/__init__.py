"""Records of a repository: kept in one database, with a copy in the view of each linked worktree."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .merge import RecordMerge, mark_shared, merge_records
    from .view_store import ViewStore

__all__ = ["RecordMerge", "ViewStore", "mark_shared", "merge_records"]

__getattr__ = export_lazily(
    __name__,
    {
        "merge": ["RecordMerge", "mark_shared", "merge_records"],
        "view_store": ["ViewStore"],
    },
)
