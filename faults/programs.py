"""Search of a program in PATH, outside of a project: a clone may bring a program of any name."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


def list_safe_folders(project: Path, environ: Mapping[str, str] = os.environ) -> tuple[str, ...]:
    """Return the folders of PATH that are absolute and outside of a project, in their order.

    Args:
        project: the project's folder, absolute and resolved.
        environ: the environment variables.
    """
    folders = environ.get("PATH", os.defpath).split(os.pathsep)
    return tuple(folder for folder in folders if Path(folder).is_absolute() and not _is_inside(folder, project))


def find_program_outside(name: str, project: Path, environ: Mapping[str, str] = os.environ) -> str | None:
    """Return the path of a program in PATH whose file is outside of a project; None if there is none.

    Args:
        name: a name without a folder.
        project: the project's folder, absolute and resolved.
        environ: the environment variables.
    """
    for folder in list_safe_folders(project, environ):
        found = shutil.which(name, path=folder)
        if found and Path(found).is_absolute() and not _is_inside(found, project):
            return found
    return None


def _is_inside(path: str, project: Path) -> bool:
    return Path(os.path.realpath(path)).is_relative_to(project)
