"""Files of the project: reading lines, writing new files, and git."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .git import MAX_NEW_FILE_BYTES, FileChange, Worktree, open_worktree
    from .lines import read_lines
    from .new_files import refuse_existing, select_missing, write_all
    from .project import require_project, resolve_part

__all__ = [
    "MAX_NEW_FILE_BYTES",
    "FileChange",
    "Worktree",
    "open_worktree",
    "read_lines",
    "refuse_existing",
    "require_project",
    "resolve_part",
    "select_missing",
    "write_all",
]

__getattr__ = export_lazily(
    __name__,
    {
        "project": ["require_project", "resolve_part"],
        "git": ["MAX_NEW_FILE_BYTES", "FileChange", "Worktree", "open_worktree"],
        "lines": ["read_lines"],
        "new_files": ["refuse_existing", "select_missing", "write_all"],
    },
)
