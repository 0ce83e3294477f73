"""Where the project begins and where its database lies: one answer for the server, the command line and the doctor."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from aurora.faults import check_cancelled, guard_commit

if TYPE_CHECKING:
    from collections.abc import Mapping

AURORA_FOLDER = ".aurora"
DATABASE_NAME = "memory.db"

# Everything Aurora writes by itself stays out of the repository; the team's own workflows belong in it.
GITIGNORE_TEXT = "*\n!.gitignore\n!workflows/\n!workflows/**\n"


def find_project(start: Path) -> Path:
    """The folder of the project that `start` lies in.

    Args:
        start: a folder or a file; need not exist.

    Returns:
        The nearest ancestor (or `start` itself) that holds `.aurora/`, else the nearest that holds `.git`,
        else `start`; absolute, symbolic links resolved. The home folder and the root of the file system count only when
        `start` is one of them: whoever said `aur mem index` there by mistake would have made one project of all.
    """
    origin = expand_user(start).resolve()
    if origin.is_file():
        origin = origin.parent
    ancestors = (origin, *(folder for folder in origin.parents if not is_home_or_root(folder)))
    for folder in ancestors:
        if (folder / AURORA_FOLDER).is_dir():
            return folder
    return next((folder for folder in ancestors if (folder / ".git").exists()), origin)


def is_home_or_root(folder: Path) -> bool:
    """Whether this is the home folder or the root of the file system, where every project lies and none is.

    Args:
        folder: absolute, symbolic links resolved.
    """
    return folder in {expand_user(Path("~")).resolve(), Path(folder.anchor)}


def database_path(root: Path, environ: Mapping[str, str] = os.environ) -> Path:
    """The database of the project at `root`.

    Args:
        root: the project's folder.
        environ: where `AURORA_DB` may name another file, absolute or relative to `root`.

    Returns:
        `root/.aurora/memory.db` unless `AURORA_DB` says otherwise; the file need not exist.
    """
    named = environ.get("AURORA_DB", "").strip()
    if not named:
        return root / AURORA_FOLDER / DATABASE_NAME
    return root / expand_user(Path(named))


def expand_user(path: Path) -> Path:
    """The path with `~` written out; as it stands when it names a user that nobody knows."""
    try:
        return path.expanduser()
    except RuntimeError:
        return path


def prepare_folder(database: Path) -> None:
    """Make the folder that will hold `database`; a new `.aurora/` is told to stay out of the repository.

    Raises:
        OSError: when the folder cannot be made.
    """
    check_cancelled()
    folder = database.parent
    folder.mkdir(parents=True, exist_ok=True)
    ignore = folder / ".gitignore"
    if folder.name == AURORA_FOLDER and not ignore.exists():
        with guard_commit():
            ignore.write_text(GITIGNORE_TEXT, encoding="utf-8")
