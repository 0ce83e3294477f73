"""Programs: the one that is found outside of a project, and Aurora's own installation."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

SHIPPED_FOLDER = Path(__file__).resolve().parents[1] / "workflows"
"""Folder of the workflows that come with Aurora."""
_CLONE = "in the folder of Aurora's clone"


def list_safe_folders(project: Path, environ: Mapping[str, str] = os.environ) -> tuple[str, ...]:
    """Return the folders of PATH that are absolute and outside of a project, in their order.

    Args:
        project: the project's folder, absolute and resolved.
        environ: the environment variables.
    """
    folders = environ.get("PATH", os.defpath).split(os.pathsep)
    # A relative folder begins at the working directory, which is
    # mostly the project: a clone may bring programs.
    return tuple(folder for folder in folders if Path(folder).is_absolute() and not _is_inside(folder, project))


def find_program_outside(name: str, project: Path, environ: Mapping[str, str] = os.environ) -> str | None:
    """Return the path of a program in PATH whose file is outside of a project; None if there is none.

    Args:
        name: a name without a folder.
        project: the project's folder, absolute and resolved.
        environ: the environment variables.
    """
    # Folder by folder: where a safe one has a link into the project, the next one may have the program itself.
    for folder in list_safe_folders(project, environ):
        found = shutil.which(name, path=folder)
        if found and Path(found).is_absolute() and not _is_inside(found, project):
            return found
    return None


def _is_inside(path: str, project: Path) -> bool:
    return Path(os.path.realpath(path)).is_relative_to(project)


def describe_extra_install(extra: str) -> str:
    """Return the clause that tells how to install an extra from the clone, as Aurora itself is."""
    return (
        f"{_CLONE}, run `pip install '.[{extra}]'` with the Python of this `aur`, "
        f"or `uv tool install --force '.[{extra}]'`"
    )


def describe_upgrade() -> str:
    """Return the clause that tells how to install a newer Aurora."""
    return (
        f"{_CLONE}, run `git pull`, then `pip install .` with the Python of this `aur`, or `uv tool install --force .`"
    )


def stamp_modules(folder: str) -> Iterator[tuple[str, int, int]]:
    """Yield the Python files of a package with their times and sizes, which an upgrade or an edit changes.

    Raises:
        OSError: a folder cannot be read.
    """
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir() and entry.name != "__pycache__":
                yield from stamp_modules(entry.path)
            elif entry.name.endswith(".py"):
                status = entry.stat()
                yield entry.path, status.st_mtime_ns, status.st_size
