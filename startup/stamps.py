"""Stamps of the files that a start depends on: while they stay equal, so do the lists of the server."""

from __future__ import annotations

import os
import stat

TYPE_CHECKING = False  # `typing` takes longer to import than this package
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    Stamp = tuple[int, ...] | None
    Stamps = Mapping[str, Stamp]
    """Path -> its stamp; None where there is nothing."""
else:
    Stamps = dict


def stamp_path(path: str) -> Stamp:
    """Return a stamp that changes with the content of a file or the entries of a folder.

    The time of the last change cannot be set by a program, unlike that of the last modification.

    Returns:
        None for a missing path, and for an empty file, such as the log of a database that is open but has no changes.
    """
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    if found.st_size == 0 and stat.S_ISREG(found.st_mode):
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def identify_path(path: str) -> Stamp:
    """Return the identity of a folder or file, whatever is in it; None for a missing path."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return found.st_dev, found.st_ino, stat.S_IFMT(found.st_mode)


def are_stamps_current(stamps: Stamps) -> bool:
    """Return True if every path has the stamp that it had."""
    return all(stamp_path(path) == stamp for path, stamp in stamps.items())


def are_identities_current(identities: Stamps) -> bool:
    """Return True if the same file or folder is at every path, or still nothing."""
    return all(identify_path(path) == identity for path, identity in identities.items())


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
