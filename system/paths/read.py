"""Reading of files inside a folder: opened step by step, so that no link can be swapped in meanwhile."""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from aurora.errors import Code

from .resolve import (
    build_link_fault,
    build_missing_fault,
    build_outside_fault,
    build_path_fault,
    build_special_fault,
    is_inside,
    resolve_inside,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aurora.errors import Fault

_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)
_READ = os.O_RDONLY | _NOFOLLOW | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
"""Refuse a link, and never block on a pipe that waits for a writer."""
FOLDER_FLAGS = getattr(os, "O_PATH", os.O_RDONLY) | _NOFOLLOW | getattr(os, "O_DIRECTORY", 0)
"""Open a folder only to open names in it; on Linux that needs no permission to list it."""
HAS_FOLDER_HANDLES = os.open in os.supports_dir_fd and bool(_NOFOLLOW)
"""Linux and macOS open a name in an open folder; Windows does not, and compares the file after opening it."""


# `resolve` alone is not enough: between the check and the opening, a process that writes in the project, as a build or
# an assistant does, can put a link in the place of a folder.
def open_inside(root: Path, path: str) -> int:
    """Open a regular file inside the folder for reading, and return its handle, which the caller closes.

    The path is resolved once and then opened name by name from the open folder of the root, each without following a
    link: whatever another process does meanwhile, the opened file is inside.

    Args:
        root: the folder, resolved.
        path: relative to it, or absolute.

    Raises:
        Fault: as `resolve_inside`; also FORBIDDEN for a folder, and for a file that cannot be read.
    """
    real = resolve_inside(root, path)
    try:
        handle = _open_steps(root, real) if HAS_FOLDER_HANDLES else os.open(real, _READ)
    except FileNotFoundError:
        raise build_missing_fault(path) from None
    except OSError as error:
        raise build_unreadable_fault(path, error) from None
    try:
        _check_opened(handle, root, path)
    except BaseException:
        os.close(handle)
        raise
    return handle


def _check_opened(handle: int, root: Path, path: str) -> None:
    found = os.fstat(handle)
    if stat.S_ISDIR(found.st_mode):
        raise build_unreadable_fault(path, IsADirectoryError("it is a folder"))
    if not stat.S_ISREG(found.st_mode):
        raise build_special_fault(path)
    if not HAS_FOLDER_HANDLES and not os.path.samestat(found, resolve_inside(root, path).stat()):
        raise build_outside_fault(root, path)


def read_inside(root: Path, path: str, limit: int) -> bytes:
    """Return the first `limit` bytes of a regular file inside the folder.

    Raises:
        Fault: as `open_inside`.
    """
    handle = open_inside(root, path)
    try:
        with os.fdopen(handle, "rb") as file:
            return file.read(limit)
    except OSError as error:
        raise build_unreadable_fault(path, error) from None


def read_plain(path: Path, limit: int) -> bytes | None:
    """Return the first `limit` bytes of a regular file that is no link itself; None for anything else."""
    try:
        handle = os.open(path, _READ)
    except (OSError, ValueError):
        return None
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        return None
    with os.fdopen(handle, "rb") as file:
        try:
            return file.read(limit)
        except OSError:
            return None


def refuse_foreign_file(root: Path, place: Path) -> None:
    """Check a file or folder in which Aurora writes in place, so that it is no link that a clone brought.

    Args:
        root: the project's folder, resolved.
        place: the file, which must be no link at all, or the folder, which may be a link inside the project.

    Raises:
        Fault: FORBIDDEN, with the link.
    """
    shown = place.relative_to(root).as_posix() if place.is_relative_to(root) else str(place)
    if place.is_symlink():
        if not is_inside(root, place):
            raise build_link_fault(shown)
        if not place.is_dir():
            raise build_link_fault(shown, "a link to another file")
    elif place.exists() and not place.is_dir() and not place.is_file():
        raise build_special_fault(shown)
    elif is_linked_elsewhere(place, place.parent):
        raise build_link_fault(shown, "a hard link to a file elsewhere")


def is_linked_elsewhere(path: Path, folder: Path) -> bool:
    """Return True when a regular file has a hard link that is not in the folder.

    The names of a file are not recorded anywhere, so those in the folder are counted: when the file has more names,
    the others are outside. A repository that git cloned contains no hard link; an archive may.

    Args:
        path: the file.
        folder: the folder, of which all subfolders are searched, at most `MAX_ENTRIES_SEARCHED` entries.
    """
    try:
        found = path.stat()
    except OSError:
        return False
    if found.st_nlink <= 1 or not stat.S_ISREG(found.st_mode):
        return False
    # The search ends after so many entries, and what is not found counts as elsewhere: the safe answer.
    inside = sum(1 for other in _iter_files(folder) if other.st_ino == found.st_ino and other.st_dev == found.st_dev)
    return inside < found.st_nlink


MAX_ENTRIES_SEARCHED = 10_000
"""Limit of the entries among which the names of a file with several are counted."""


def _iter_files(folder: Path) -> Iterator[os.stat_result]:
    """Yield the status of the entries in the folder and below, links not followed."""
    count = 0
    for here, _, names in os.walk(folder):
        for name in names:
            count += 1
            if count > MAX_ENTRIES_SEARCHED:
                return
            with contextlib.suppress(OSError):
                yield Path(here, name).lstat()


def _open_steps(root: Path, real: Path) -> int:
    *folders, name = real.relative_to(root).parts or (".",)
    with open_folder(root, folders) as here:
        return os.open(name, _READ, dir_fd=here)


@contextlib.contextmanager
def open_folder(root: Path, folders: Sequence[str], *, create: bool = False) -> Iterator[int]:
    """Yield the handle of a folder below the root, opened name by name, no link followed.

    Args:
        root: the folder to begin with, resolved.
        folders: the names below it, resolved.
        create: create missing folders.

    Raises:
        OSError: one of them is a link, is no folder, or cannot be opened or created.
    """
    here = os.open(root, FOLDER_FLAGS)
    try:
        for folder in folders:
            if create:
                with contextlib.suppress(FileExistsError):
                    os.mkdir(folder, dir_fd=here)
            inner = os.open(folder, FOLDER_FLAGS, dir_fd=here)
            os.close(here)
            here = inner
        yield here
    finally:
        os.close(here)


def build_unreadable_fault(path: str, error: OSError) -> Fault:
    """Build the fault for a file that exists and cannot be read."""
    what = f"{{}} cannot be read: {error.strerror or error}"
    return build_path_fault(Code.FORBIDDEN, path, what, "Name a regular file that your user may read.")
