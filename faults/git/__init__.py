"""Git, started only here, on an isolated view of a repository without programs of its own."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .address import check_branch, check_git_url
    from .config import find_personal_excludes
    from .export import MAX_FILE_BYTES, export_files
    from .index import ALL_TRACKED, NOTHING_TRACKED, TrackedFiles, read_tracked
    from .mirror import Mirror
    from .nested import RepositoryCopy, find_copy
    from .process import GIT_TIMEOUT, MAX_OUTPUT_BYTES
    from .repository import Repository, find_repository, read_branch, read_commit
    from .session import GitSession, open_session
    from .tracked import list_tracked
    from .worktrees import LinkedWorktree, find_linked_worktree, list_kept_worktrees, list_linked_worktrees

__all__ = [
    "ALL_TRACKED",
    "GIT_TIMEOUT",
    "MAX_FILE_BYTES",
    "MAX_OUTPUT_BYTES",
    "NOTHING_TRACKED",
    "GitSession",
    "LinkedWorktree",
    "Mirror",
    "Repository",
    "RepositoryCopy",
    "TrackedFiles",
    "check_branch",
    "check_git_url",
    "export_files",
    "find_copy",
    "find_linked_worktree",
    "find_personal_excludes",
    "find_repository",
    "list_kept_worktrees",
    "list_linked_worktrees",
    "list_tracked",
    "open_session",
    "read_branch",
    "read_commit",
    "read_tracked",
]

__getattr__ = export_lazily(
    __name__,
    {
        "address": ["check_branch", "check_git_url"],
        "config": ["find_personal_excludes"],
        "export": ["MAX_FILE_BYTES", "export_files"],
        "index": ["ALL_TRACKED", "NOTHING_TRACKED", "TrackedFiles", "read_tracked"],
        "mirror": ["Mirror"],
        "nested": ["RepositoryCopy", "find_copy"],
        "process": ["GIT_TIMEOUT", "MAX_OUTPUT_BYTES"],
        "repository": ["Repository", "find_repository", "read_branch", "read_commit"],
        "session": ["GitSession", "open_session"],
        "tracked": ["list_tracked"],
        "worktrees": ["LinkedWorktree", "find_linked_worktree", "list_kept_worktrees", "list_linked_worktrees"],
    },
)
