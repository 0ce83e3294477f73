"""Files of the project: containment of paths, reading lines, writing new files, and git."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .containment import require_project, resolve_inside
    from .git import FileChange, Worktree, open_worktree
    from .lines import read_lines
    from .new_files import refuse_existing, select_missing, write_all

__all__ = [
    "FileChange",
    "Worktree",
    "open_worktree",
    "read_lines",
    "refuse_existing",
    "require_project",
    "resolve_inside",
    "select_missing",
    "write_all",
]

__getattr__ = export_lazily(
    __name__,
    {
        "containment": ["require_project", "resolve_inside"],
        "git": ["FileChange", "Worktree", "open_worktree"],
        "lines": ["read_lines"],
        "new_files": ["refuse_existing", "select_missing", "write_all"],
    },
)
