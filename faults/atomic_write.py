"""Atomic write of a file."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

from .cancellation import check_cancelled, guard_commit
from .leftovers import name_partial, remove_old_partials

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def write_atomically(
    path: Path, data: bytes, mode: int | None = None, *, check: Callable[[], None] | None = None
) -> None:
    """Replace the file's content atomically and durably; create its folder.

    Args:
        path: the file; an existing one keeps its mode.
        data: the whole content.
        mode: the mode of a new file; None applies the umask.
        check: called just before the file is replaced; an error it raises leaves the file unchanged.

    Raises:
        OSError: the file cannot be written; its content is unchanged.
    """
    check_cancelled()
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(name_partial(path.name))  # not `mkstemp`, whose files are private
    try:
        with partial.open("xb") as file:
            with contextlib.suppress(FileNotFoundError):
                mode = path.stat().st_mode & 0o777
            if mode is not None:
                partial.chmod(mode)  # before the first byte is written
            file.write(data)
        if check is not None:
            check()
        commit_file(partial, path)
        remove_old_partials(path.parent)
    except BaseException:
        with contextlib.suppress(OSError):
            partial.unlink()
        raise


def commit_file(partial: Path, target: Path) -> None:
    """Rename a finished file to its target, atomically and durably.

    Raises:
        OSError: it cannot be moved.
    """
    with partial.open("rb+") as file:
        os.fsync(file.fileno())
    with guard_commit():
        partial.replace(target)
    sync_folder(target.parent)


def sync_folder(folder: Path) -> None:
    """Make a rename in a folder durable, where the system supports it."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return  # Windows cannot open folders
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
