"""Git, started only here, on an isolated view of a repository without programs of its own."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .address import check_branch, check_git_url
    from .export import MAX_FILE_BYTES, export_files
    from .mirror import Mirror
    from .process import GIT_TIMEOUT, MAX_OUTPUT_BYTES
    from .repository import Repository, find_repository, read_branch, read_commit
    from .session import GitSession, open_session
    from .worktrees import LinkedWorktree, find_linked_worktree, list_kept_worktrees, list_linked_worktrees

__all__ = [
    "GIT_TIMEOUT",
    "MAX_FILE_BYTES",
    "MAX_OUTPUT_BYTES",
    "GitSession",
    "LinkedWorktree",
    "Mirror",
    "Repository",
    "check_branch",
    "check_git_url",
    "export_files",
    "find_linked_worktree",
    "find_repository",
    "list_kept_worktrees",
    "list_linked_worktrees",
    "open_session",
    "read_branch",
    "read_commit",
]

__getattr__ = export_lazily(
    __name__,
    {
        "address": ["check_branch", "check_git_url"],
        "export": ["MAX_FILE_BYTES", "export_files"],
        "mirror": ["Mirror"],
        "process": ["GIT_TIMEOUT", "MAX_OUTPUT_BYTES"],
        "repository": ["Repository", "find_repository", "read_branch", "read_commit"],
        "session": ["GitSession", "open_session"],
        "worktrees": ["LinkedWorktree", "find_linked_worktree", "list_kept_worktrees", "list_linked_worktrees"],
    },
)
