"""Checks that a folder is a project, and a path a part of it."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from aurora.faults import Code, Fault
from aurora.faults.paths import path_exists, resolve_inside
from aurora.memory.files import find_project, is_home_or_root

if TYPE_CHECKING:
    from aurora.tools.core import Context


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


def resolve_part(path: str, context: Context) -> Path:
    """Return a file or folder of the project; a person reads how to name the project of another one.

    Raises:
        Fault: as `resolve_inside`.
    """
    try:
        return resolve_inside(context.root, path)
    except Fault as fault:
        plain = Path(os.path.normpath(context.root / path))
        is_elsewhere = not plain.is_relative_to(context.root) and path_exists(plain)
        if context.surface != "cli" or fault.code is not Code.FORBIDDEN or not is_elsewhere:
            raise
        other = shlex.quote(str(find_project(plain)))
        raise Fault(
            fault.code,
            f'{fault.message} "{context.root}"',
            help=f"Run it there, or pass --project {other}.",
            details=fault.details,
        ) from None
