"""Location of the project and its database, for server, CLI and doctor."""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from aurora.faults import check_cancelled, guard_commit, read_value

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
    named = read_value("AURORA_DB", environ)
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
        Fault: FORBIDDEN, as `refuse_foreign_link`.
    """
    check_cancelled()
    refuse_foreign_link(database)
    folder = database.parent
    folder.mkdir(parents=True, exist_ok=True)
    ignore = folder / ".gitignore"
    if folder.name == DATA_FOLDER and not os.path.lexists(ignore):
        with guard_commit(), contextlib.suppress(FileExistsError), ignore.open("x", encoding="utf-8") as file:
            file.write(GITIGNORE_TEXT)  # never through a link


def refuse_foreign_link(path: Path) -> None:
    """Check that a file or folder of Aurora's in `.aurora/` is no link, which a clone may have brought.

    A folder may be a link to another place in the project. A path outside of any `.aurora/` is the user's choice, in
    `AURORA_DB`, and is not checked.

    Args:
        path: a database, with the files that SQLite keeps next to it, or a folder; it need not exist.

    Raises:
        Fault: FORBIDDEN for a link out of the project, for a file that is a link, has a hard link elsewhere, or is no
            regular file.
    """
    base = next((folder for folder in (path, *path.parents) if folder.name == DATA_FOLDER), None)
    if base is None:
        return
    names = (path, *(path.with_name(path.name + end) for end in ("-wal", "-shm", "-journal")))
    odd = [place for place in (*names, *path.parents[: len(path.relative_to(base).parts)]) if _needs_check(place)]
    for place in reversed(odd):
        from aurora.faults import paths  # noqa: PLC0415 - only for what is refused, or nearly

        paths.refuse_foreign_file(base.parent.resolve(), place)


def _needs_check(place: Path) -> bool:
    """Return True for anything but a folder, a file with one name, and nothing."""
    try:
        found = os.lstat(place)  # each search looks, and Path's takes longer
    except OSError:
        return False
    return not (stat.S_ISDIR(found.st_mode) or (stat.S_ISREG(found.st_mode) and found.st_nlink == 1))
