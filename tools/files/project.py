"""Check that a folder is a project."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.faults import Code, Fault
from aurora.memory.files import is_home_or_root

if TYPE_CHECKING:
    from pathlib import Path


def require_project(root: Path) -> None:
    """Check that a folder is a project; a home folder is one only if it is a git repository.

    Raises:
        Fault: INVALID_INPUT for the home folder or the root of the file system without a repository.
    """
    if is_home_or_root(root) and not (root / ".git").exists():
        raise Fault(
            Code.INVALID_INPUT,
            f'"{root}" is not a project: it contains all your files',
            help="Run the command in the project's folder, or pass --project FOLDER.",
            details={"path": str(root)},
        )
