"""Place of the project and its database, and whether it is still the same folder."""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from aurora.errors import Code, Fault, check_cancelled, guard_commit
from aurora.system.environment import read_value

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aurora.system.git.worktrees import LinkedWorktree

DATA_FOLDER = ".aurora"
DATABASE_NAME = "memory.db"
VIEWS_FOLDER = "views"
"""Folder in `.aurora/` of the main worktree with a database per linked worktree, its view."""
_MAX_VIEWS = 1_000
"""Most views that are listed."""

_HELP = "restart Aurora in the folder where the project is now; nothing was written to the old place"
_OPEN_FLAGS = getattr(os, "O_PATH", os.O_RDONLY) | getattr(os, "O_DIRECTORY", 0)
"""Flags that need no permission to read the folder, on systems that have `O_PATH`."""

# Files that Aurora writes stay out of the repository; the team's own workflows belong in it.
GITIGNORE_TEXT = "*\n!.gitignore\n!workflows/\n!workflows/**\n"


def find_project(start: Path) -> Path:
    """Find the project folder that contains `start`.

    A linked worktree inside another project, as in `.claude/worktrees/`, is a project of its own: it is no part of the
    other, which would answer from other files than those that are worked on.

    Args:
        start: a folder or a file; need not exist.

    Returns:
        The nearest ancestor (or `start` itself) that contains `.aurora/` or is a linked worktree, else the nearest that
        contains `.git`, else `start`; absolute, symbolic links resolved. The home folder and the root of the file
        system count only when `start` is one of them: one `aur mem index` there by mistake would make one project of
        all.
    """
    origin = expand_user(start).resolve()
    if origin.is_file():
        origin = origin.parent
    ancestors = (origin, *(folder for folder in origin.parents if not is_home_or_root(folder)))
    for folder in ancestors:
        if (folder / DATA_FOLDER).is_dir() or (_is_linked(folder) and _find_worktree(folder) is not None):
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
        `root/.aurora/memory.db`; for a linked worktree its view, a file in `.aurora/views/` of the main worktree or of
        the bare repository; the file that `AURORA_DB` names. It need not exist.
    """
    named = read_value("AURORA_DB", environ)
    if named:
        return root / expand_user(Path(named))
    return _find_view(root) or root / DATA_FOLDER / DATABASE_NAME


def records_path(root: Path, environ: Mapping[str, str] = os.environ) -> Path:
    """Return the path of the database with the records and runs of the project at `root`.

    All worktrees of a repository share it; its folder also contains their views. See `database_path`.
    """
    return get_shared_database(database_path(root, environ))


def has_memory(root: Path, environ: Mapping[str, str] = os.environ) -> bool:
    """Return True when the project at `root`, or another worktree of its repository, has a memory.

    That of a database server counts as one: whether it is empty is known when it is open.
    """
    if read_value("AURORA_DATABASE", environ):
        return True
    database = database_path(root, environ)
    return database.exists() or (
        is_view(database) and (get_shared_database(database).exists() or (root / DATA_FOLDER / DATABASE_NAME).exists())
    )


def is_view(database: Path) -> bool:
    """Return True for the path of a linked worktree's view."""
    return database.parent.name == VIEWS_FOLDER and database.parent.parent.name == DATA_FOLDER


def get_shared_database(database: Path) -> Path:
    """Return the database with the records of a view; of any other database, itself."""
    return database.parent.parent / DATABASE_NAME if is_view(database) else database


def list_view_files(shared: Path) -> list[Path]:
    """List the databases of the linked worktrees, by name.

    Args:
        shared: the shared database of the repository.

    Raises:
        Fault: FORBIDDEN when the folder is a link out of the project.
    """
    folder = shared.parent / VIEWS_FOLDER
    refuse_foreign_link(folder)
    try:
        found = sorted(path for path in folder.iterdir() if path.suffix == ".db" and not path.name.startswith("."))
    except OSError:
        return []
    return [path for path in found if path.is_file() and not path.is_symlink()][:_MAX_VIEWS]


def list_other_databases(database: Path) -> list[Path]:
    """List the databases of the other worktrees of a repository, the shared one first.

    Raises:
        Fault: as `list_view_files`.
    """
    if database.name != DATABASE_NAME and not is_view(database):
        return []
    shared = get_shared_database(database)
    found = [shared] if shared != database and shared.exists() else []
    return found + [path for path in list_view_files(shared) if path != database]


def _find_view(root: Path) -> Path | None:
    """Return the path of a linked worktree's view; None for any other folder."""
    if not any(_is_linked(folder) for folder in (root, *root.parents)):
        return None
    found = _find_worktree(root.resolve())
    if found is None:
        return None
    inner = root.resolve().relative_to(found.top)
    return found.main / inner / DATA_FOLDER / VIEWS_FOLDER / f"{found.name}.db"


def _find_worktree(folder: Path) -> LinkedWorktree | None:
    from aurora.system.git.worktrees import find_linked_worktree  # noqa: PLC0415 - most projects are no linked worktree

    return find_linked_worktree(folder)


def _is_linked(folder: Path) -> bool:
    """Return True for a folder in which `.git` is a file."""
    try:
        return stat.S_ISREG(os.lstat(folder / ".git").st_mode)  # Path's takes longer
    except OSError:
        return False


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
    # A call that is over creates nothing any more, no folder either.
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
        from aurora.system.paths.read import refuse_foreign_file  # noqa: PLC0415 - only for what is refused, or nearly

        refuse_foreign_file(base.parent.resolve(), place)


def _needs_check(place: Path) -> bool:
    """Return True for anything but a folder, a file with one name, and nothing."""
    try:
        found = os.lstat(place)  # each search looks, and Path's takes longer
    except OSError:
        return False
    return not (stat.S_ISDIR(found.st_mode) or (stat.S_ISREG(found.st_mode) and found.st_nlink == 1))


class FolderIdentity:
    """Identity of a folder at the time of its creation; the folder's name may belong to another one later.

    The folder stays open, so that the system cannot give its inode number to a new folder.

    Args:
        folder: an existing folder.

    Raises:
        OSError: the folder does not exist.
    """

    def __init__(self, folder: Path) -> None:
        self._descriptor = -1
        self._path = str(folder)
        self._numbers = _read_numbers(self._path)
        self._descriptor = _open_folder(self._path)

    def require_same(self) -> None:
        """Raise a fault unless the folder of that name is the same as before.

        Raises:
            Fault: NOT_FOUND when it was moved or removed, CONFLICT when another folder has its name.
        """
        try:
            is_same = _read_numbers(self._path) == self._numbers
        except OSError:
            raise Fault(
                Code.NOT_FOUND,
                f'the project "{self._path}" was moved or removed while it was open',
                help=_HELP,
                details={"path": self._path},
            ) from None
        if not is_same:
            raise Fault(
                Code.CONFLICT,
                f'the project "{self._path}" was replaced by another folder while it was open',
                help=_HELP,
                details={"path": self._path},
            )

    def is_same(self) -> bool:
        """Return True while the folder of that name is the same as before."""
        try:
            return _read_numbers(self._path) == self._numbers
        except OSError:
            return False

    def close(self) -> None:
        """Close the folder; a second call does nothing."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)

    def __del__(self) -> None:
        """Close the folder of an owner that forgot it."""
        self.close()


def _read_numbers(path: str) -> tuple[int, int]:
    status = os.stat(path)  # noqa: PTH116 - runs at every transaction, and `Path.stat` takes three times as long
    return status.st_dev, status.st_ino


def _open_folder(path: str) -> int:
    """Open a folder; return -1 on a system that opens no folders."""
    try:
        return os.open(path, _OPEN_FLAGS)
    except OSError:
        return -1


def has_hash(path: Path, digest: str) -> bool:
    """Return True when the file's content has this SHA-256, in hexadecimal.

    Raises:
        OSError: the file cannot be read.
    """
    from hashlib import sha256  # noqa: PLC0415 - it loads OpenSSL, which a search rarely needs

    return sha256(path.read_bytes()).hexdigest() == digest
