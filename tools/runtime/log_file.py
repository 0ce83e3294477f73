"""The project's log on disk: lines are added whole, and old ones make room; never does a call fail for its log."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

from aurora.memory.files import DATA_FOLDER

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MAX_FILE_BYTES = 1_000_000
"""Bytes of the file that is written to; beyond it a new one is begun."""
KEPT_FILES = 3
"""Full files that are kept beside it; the oldest goes."""

_LOGS = "logs"
_BASENAME = "calls"


def append_line(root: Path, line: str, largest: int = MAX_FILE_BYTES) -> None:
    """Add a line to the log of the project; nothing where it has no `.aurora`, or where it cannot be written.

    Args:
        root: the project's folder.
        line: without its line break.
        largest: bytes beyond which a new file is begun.
    """
    folder = root / DATA_FOLDER
    with contextlib.suppress(OSError):
        if not folder.is_dir():
            return
        current = _build_path(root, 0)
        with contextlib.suppress(FileExistsError):
            current.parent.mkdir()
        descriptor = os.open(current, os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
        try:
            # One write at the end of the file: the system lets no other process's line come in between.
            os.write(descriptor, f"{_repair_torn_line(descriptor)}{line}\n".encode())
            full = os.fstat(descriptor)
        finally:
            os.close(descriptor)
        if full.st_size > largest:
            _rotate_files(root, full.st_ino)


def list_files(root: Path) -> Iterator[Path]:
    """The files of the log that there are, the newest first."""
    yield from (path for number in range(KEPT_FILES + 1) if (path := _build_path(root, number)).is_file())


def _repair_torn_line(descriptor: int) -> str:
    """A line break where the last line has none, for a kill or a full disk cut it short; the next one stays whole.

    While another process is writing its line, that one looks the same; an empty line comes of it, which is none.
    """
    if not os.fstat(descriptor).st_size:
        return ""
    os.lseek(descriptor, -1, os.SEEK_END)
    return "" if os.read(descriptor, 1) == b"\n" else "\n"


def _build_path(root: Path, number: int) -> Path:
    return root / DATA_FOLDER / _LOGS / (f"{_BASENAME}.{number}.jsonl" if number else f"{_BASENAME}.jsonl")


def _rotate_files(root: Path, inode: int) -> None:
    """Begin a new file, unless another process has done so."""
    with _lock_log(root):
        if _build_path(root, 0).stat().st_ino != inode:
            return
        for number in range(KEPT_FILES, 0, -1):
            with contextlib.suppress(FileNotFoundError):
                _build_path(root, number - 1).replace(_build_path(root, number))


@contextlib.contextmanager
def _lock_log(root: Path) -> Iterator[None]:
    """One process at a time; where the system has no such lock, the check of the file must do."""
    try:
        import fcntl  # noqa: PLC0415 - Windows has none
    except ImportError:
        yield
        return
    descriptor = os.open(_build_path(root, 0).with_suffix(".lock"), os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
