"""Atomic writes, temporary folders, and the removal of what killed processes left behind."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import shutil
import stat
import sys
import tempfile
import time
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

from aurora.errors import check_cancelled, guard_commit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
_DISK_FULL_ERRORS = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO})
"""Error numbers of a disk that cannot be written to any more."""
_MAX_OLD_SECONDS = 3600.0
"""Age from which an entry is a leftover where its process cannot be looked up; no write takes that long."""
# A file whose name is as long as the system allows must still be
# replaceable: only a part of it is in the partial file's name.
_MAX_NAME_BYTES = 100
_PARTIAL = re.compile(
    # The last group are the files that SQLite keeps next to a database that is written under a partial name.
    r"\..+\.(?P<pid>\d{1,10})\.(?P<place>[0-9a-f]{8})\.[0-9a-f]{8}\.partial(-wal|-shm|-journal)?",
    re.DOTALL,
)
_ENDINGS = (".partial", ".partial-wal", ".partial-shm", ".partial-journal")
_FOLDER_NAME = re.compile(r"aurora-[a-z]+-(?P<pid>\d{1,10})-(?P<place>[0-9a-f]{8})-\w+")


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
    replace_content(path.parent, path.name, data, mode, check)


def replace_content(
    folder: Path | int, name: str, data: bytes, mode: int | None, check: Callable[[], None] | None
) -> None:
    """Write a new file next to a name and give it that name, with the mode of the file that had it.

    Args:
        folder: its path, or the handle of an open folder, below which no link is followed.
        name: the name in it.
        data: as for `write_atomically`.
        mode: as there.
        check: as there.

    Raises:
        OSError: the file cannot be written; its content is unchanged.
    """
    handle = folder if isinstance(folder, int) else None
    base = "" if isinstance(folder, int) else f"{folder}{os.sep}"
    partial, target = f"{base}{name_partial(name)}", f"{base}{name}"  # not `mkstemp`, whose files are private
    try:
        with os.fdopen(os.open(partial, _CREATE, 0o666, dir_fd=handle), "wb") as file:
            with contextlib.suppress(FileNotFoundError):
                mode = os.stat(target, dir_fd=handle, follow_symlinks=handle is None).st_mode & 0o777
            if mode is not None:  # before the first byte is written
                os.chmod(partial if handle is None else file.fileno(), mode)  # noqa: PTH101 - it may be a handle
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if check is not None:
            check()
        with guard_commit():
            os.replace(partial, target, src_dir_fd=handle, dst_dir_fd=handle)
    # Also for `Cancelled` and an interrupt: no partial file may stay.
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(partial, dir_fd=handle)
        raise
    sync_folder(folder)
    remove_old_partials(folder)


def commit_file(partial: Path, target: Path) -> None:
    """Rename a finished file to its target, atomically and durably.

    Raises:
        OSError: it cannot be moved.
    """
    # Open for writing, since Windows syncs no other file.
    with partial.open("rb+") as file:
        os.fsync(file.fileno())
    with guard_commit():
        partial.replace(target)
    sync_folder(target.parent)


def sync_folder(folder: Path | int) -> None:
    """Make a rename in a folder durable, where the system supports it."""
    try:
        handle = os.open(".", os.O_RDONLY, dir_fd=folder) if isinstance(folder, int) else os.open(folder, os.O_RDONLY)
    except OSError:
        return  # Windows cannot open folders
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def is_disk_full(error: BaseException) -> bool:
    """Return whether a write failed because the disk takes no more."""
    return isinstance(error, OSError) and error.errno in _DISK_FULL_ERRORS


def choose_write_remedy(error: BaseException, otherwise: str, folder: str = "") -> str:
    """Return the remedy for a failed write.

    Args:
        error: the failure.
        otherwise: the remedy for another failure than a full disk, mostly a missing permission.
        folder: the name of the folder that was to be created, whose place a file may have.
    """
    if folder and isinstance(error, FileExistsError | NotADirectoryError):
        return f'Move the file "{folder}" away, so that the folder can take its place.'
    return "Free space on the disk." if is_disk_full(error) else otherwise


@contextlib.contextmanager
def open_temporary_folder(kind: str) -> Iterator[Path]:
    """Create a private folder in the system's folder for temporary files, and delete it after the block.

    Args:
        kind: a word in its name: `git` for `aurora-git-…`.

    Raises:
        OSError: it cannot be created.
    """
    # `TemporaryDirectory` deletes nothing when the process is killed; the next process does it.
    _remove_old_folders(Path(tempfile.gettempdir()))
    prefix = f"aurora-{kind}-{os.getpid()}-{identify_place()}-"
    with tempfile.TemporaryDirectory(prefix=prefix, ignore_cleanup_errors=True) as folder:
        yield Path(folder)


def _remove_old_folders(parent: Path) -> None:
    with contextlib.suppress(OSError), os.scandir(parent) as entries:
        for entry in entries:
            found = _FOLDER_NAME.fullmatch(entry.name)
            if found and is_abandoned(found, entry, stat.S_ISDIR):
                shutil.rmtree(entry.path, ignore_errors=True)


def name_partial(name: str) -> str:
    """Return a new name for a file that is to replace `name`, in the same folder."""
    short = name.encode("utf-8", "surrogateescape")[:_MAX_NAME_BYTES].decode("utf-8", "ignore")
    return f".{short}.{os.getpid()}.{identify_place()}.{os.urandom(4).hex()}.partial"


def remove_old_partials(folder: Path | int) -> None:
    """Delete the partial files in a folder whose process has ended; ignore an unreadable folder.

    Args:
        folder: its path, which must not be a link, or its handle.
    """
    with contextlib.ExitStack() as stack, contextlib.suppress(OSError):
        handle = None
        if isinstance(folder, int):
            handle = os.open(".", os.O_RDONLY, dir_fd=folder)  # the given one may be open only to open names in it
            stack.callback(os.close, handle)
        for entry in stack.enter_context(os.scandir(folder if handle is None else handle)):
            found = _PARTIAL.fullmatch(entry.name) if entry.name.endswith(_ENDINGS) else None
            if found and is_abandoned(found, entry, stat.S_ISREG):
                with contextlib.suppress(OSError):  # another process deleted it first
                    os.unlink(entry.path, dir_fd=handle)


def is_abandoned(name: re.Match[str], entry: os.DirEntry[str], is_kind: Callable[[int], bool]) -> bool:
    """Return whether the process that made an entry has ended; on another machine, whether it is old.

    Args:
        name: the match of the entry's name, with the groups `pid` and `place`.
        entry: the entry; one of another user is never abandoned.
        is_kind: the test of its mode, as `stat.S_ISREG`.
    """
    try:
        status = entry.stat(follow_symlinks=False)
    except OSError:
        return False
    if not is_kind(status.st_mode):
        return False
    if sys.platform != "win32":
        # The folder for temporary files is shared with other users, who may choose any name.
        if status.st_uid != os.getuid():
            return False
        if name["place"] == identify_place():
            return not is_process_running(int(name["pid"]))
    return time.time() - status.st_mtime > _MAX_OLD_SECONDS


def is_process_running(pid: int) -> bool:
    """Return True when a process of this machine, or container, has this id."""
    if sys.platform == "win32":  # a signal would end it
        return True
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):  # the system has no such large number
        return False
    except OSError:
        return True
    return True


def identify_place() -> str:
    """Return a word for the machine and its container, since each has its own process ids."""
    try:
        space = os.stat("/proc/self/ns/pid").st_ino  # noqa: PTH116 - `pathlib` adds nothing here
    except OSError:
        space = 0
    node = os.uname().nodename if sys.platform != "win32" else ""
    return f"{zlib.crc32(f'{node} {space}'.encode()):08x}"
