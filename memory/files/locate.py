"""Location of the project and its database, for server, CLI and doctor."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from aurora.faults import check_cancelled, guard_commit

if TYPE_CHECKING:
    from collections.abc import Mapping

DATA_FOLDER = ".aurora"
DATABASE_NAME = "memory.db"

# Files that Aurora writes stay out of the repository; the team's own workflows belong in it.
GITIGNORE_TEXT = "*\n!.gitignore\n!workflows/\n!workflows/**\n"


def find_project(start: Path) -> Path:
    """Find the project folder that contains `start`.

    Args:
        start: a folder or a file; need not exist.

    Returns:
        The nearest ancestor (or `start` itself) that contains `.aurora/`, else the nearest that contains `.git`,
        else `start`; absolute, symbolic links resolved. The home folder and the root of the file system count only when
        `start` is one of them: one `aur mem index` there by mistake would make one project of all.
    """
    origin = expand_user(start).resolve()
    if origin.is_file():
        origin = origin.parent
    ancestors = (origin, *(folder for folder in origin.parents if not is_home_or_root(folder)))
    for folder in ancestors:
        if (folder / DATA_FOLDER).is_dir():
            return folder
    return next((folder for folder in ancestors if (folder / ".git").exists()), origin)


def is_home_or_root(folder: Path) -> bool:
    """Return True for the home folder and the root of the file system.

    Args:
        folder: absolute, symbolic links resolved.
    """
    return folder in {expand_user(Path("~")).resolve(), Path(folder.anchor)}


def database_path(root: Path, environ: Mapping[str, str] = os.environ) -> Path:
    """Return the path of the database of the project at `root`.

    Args:
        root: the project's folder.
        environ: may name another file in `AURORA_DB`, absolute or relative to `root`.

    Returns:
        `root/.aurora/memory.db` unless `AURORA_DB` is set; the file need not exist.
    """
    named = environ.get("AURORA_DB", "").strip()
    if not named:
        return root / DATA_FOLDER / DATABASE_NAME
    return root / expand_user(Path(named))


def expand_user(path: Path) -> Path:
    """Expand `~`; return the path unchanged for an unknown user."""
    try:
        return path.expanduser()
    except RuntimeError:
        return path


def prepare_folder(database: Path) -> None:
    """Create the folder of `database`; a new `.aurora/` gets ignore rules.

    Raises:
        OSError: when the folder cannot be created.
    """
    check_cancelled()
    folder = database.parent
    folder.mkdir(parents=True, exist_ok=True)
    ignore = folder / ".gitignore"
    if folder.name == DATA_FOLDER and not ignore.exists():
        with guard_commit():
            ignore.write_text(GITIGNORE_TEXT, encoding="utf-8")
