"""Writing of files inside a folder: never through a link, and atomically."""

from __future__ import annotations

import os
import stat
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from aurora.errors import Code, Fault, check_cancelled, guard_commit
from aurora.system.files import replace_content, write_atomically

from .read import HAS_FOLDER_HANDLES, open_folder
from .resolve import (
    build_link_fault,
    build_name_fault,
    build_special_fault,
    find_odd_name,
    is_inside,
    refuse_closed,
    refuse_impossible,
    resolve_new,
)

if TYPE_CHECKING:
    from collections.abc import Callable


def write_inside(
    root: Path, path: str, data: bytes, mode: int | None = None, *, check: Callable[[], None] | None = None
) -> None:
    """Replace the content of a file inside the folder atomically and durably; create its folders.

    Folders that are links are followed only inside the folder, and a file that is a link is refused. The content is
    written to a new file that gets the name, so a hard link from the name to a file elsewhere ends there: that file
    keeps its content.

    Args:
        root: the folder, mostly the project's, resolved.
        path: relative to it.
        data: the whole content.
        mode: the mode of a new file; None applies the umask. An existing file keeps its mode.
        check: called just before the file is replaced; an error it raises leaves the file unchanged.

    Raises:
        Fault: FORBIDDEN for a path outside, in a folder of version control, of a link or of a special file;
            INVALID_INPUT for a name that is not the same file on every system.
        OSError: the file cannot be written; its content is unchanged.
    """
    folder, name = locate_target(root, path)
    _refuse_special(folder / name, path)
    # Before a folder is made: a cancelled call leaves nothing behind.
    check_cancelled()
    if not HAS_FOLDER_HANDLES:
        write_atomically(folder / name, data, mode, check=check)
        return
    with open_folder(root, folder.relative_to(root).parts, create=True) as handle:
        replace_content(handle, name, data, mode, check)


def create_folder_inside(root: Path, path: str) -> Path:
    """Create a folder inside the folder, with its parents, unless it exists; return its resolved path.

    Raises:
        Fault: as `write_inside`.
        OSError: it cannot be created.
    """
    folder, name = locate_target(root, path)
    if (folder / name).is_symlink():
        if not is_inside(root, folder / name) or not (folder / name).is_dir():
            raise build_link_fault(path)
        return (folder / name).resolve()
    check_cancelled()
    if HAS_FOLDER_HANDLES:
        with open_folder(root, (folder / name).relative_to(root).parts, create=True):
            return folder / name
    (folder / name).mkdir(parents=True, exist_ok=True)
    return folder / name


def remove_inside(root: Path, path: str) -> None:
    """Delete a file inside the folder; of a link, the link itself.

    Raises:
        Fault: as `write_inside`.
        OSError: it does not exist, or cannot be deleted.
    """
    folder, name = locate_target(root, path)
    if not HAS_FOLDER_HANDLES:
        with guard_commit():
            (folder / name).unlink()
        return
    with open_folder(root, folder.relative_to(root).parts) as handle, guard_commit():
        os.unlink(name, dir_fd=handle)


def locate_target(root: Path, path: str) -> tuple[Path, str]:
    """Return the folder of a path to be written, inside the root with links resolved, and the name in it.

    Raises:
        Fault: as `write_inside`.
    """
    refuse_impossible(path)
    written = PurePath(path)
    if written.is_absolute() or written.name in {"", ".."}:
        raise build_name_fault(path, "names no file below the folder")
    if odd := find_odd_name(path):
        raise build_name_fault(path, odd)
    refuse_closed(root, path)
    parent = written.parent.as_posix()
    try:
        return resolve_new(root, parent), written.name
    except Fault as fault:
        # The path as written is inside, so a link leads out, which a
        # clone may have brought: that needs another remedy.
        by_link = Path(os.path.normpath(root / parent)).is_relative_to(root) and fault.code is Code.FORBIDDEN
        raise (build_link_fault(parent) if by_link else fault) from None


def _refuse_special(target: Path, path: str) -> None:
    """Refuse to replace anything but a regular file."""
    try:
        kind = target.lstat().st_mode
    except FileNotFoundError:
        return
    if stat.S_ISLNK(kind):
        raise build_link_fault(path, "a link to another file")
    if not stat.S_ISREG(kind) and not stat.S_ISDIR(kind):  # the system refuses a folder in better words
        raise build_special_fault(path)
