"""The project's log on disk: lines are added whole, and old ones make room; never does a call fail for its log."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

from aurora.memory.files.locate import FOLDER

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LARGEST = 1_000_000
"""Bytes of the file that is written to; beyond it a new one is begun."""
KEPT = 3
"""Full files that are kept beside it; the oldest goes."""

_LOGS = "logs"
_NAME = "calls"


def append(root: Path, line: str, largest: int = LARGEST) -> None:
    """Add a line to the log of the project; nothing where it has no `.aurora`, or where it cannot be written.

    Args:
        root: the project's folder.
        line: without its line break.
        largest: bytes beyond which a new file is begun.
    """
    folder = root / FOLDER
    with contextlib.suppress(OSError):
        if not folder.is_dir():
            return
        current = _path(root, 0)
        with contextlib.suppress(FileExistsError):
            current.parent.mkdir()
        descriptor = os.open(current, os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
        try:
            # One write at the end of the file: the system lets no other process's line come in between.
            os.write(descriptor, f"{_break_after_torn(descriptor)}{line}\n".encode())
            full = os.fstat(descriptor)
        finally:
            os.close(descriptor)
        if full.st_size > largest:
            _rotate(root, full.st_ino)


def files(root: Path) -> Iterator[Path]:
    """The files of the log that there are, the newest first."""
    yield from (path for number in range(KEPT + 1) if (path := _path(root, number)).is_file())


def _break_after_torn(descriptor: int) -> str:
    """A line break where the last line has none, for a kill or a full disk cut it short; the next one stays whole.

    While another process is writing its line, that one looks the same; an empty line comes of it, which is none.
    """
    if not os.fstat(descriptor).st_size:
        return ""
    os.lseek(descriptor, -1, os.SEEK_END)
    return "" if os.read(descriptor, 1) == b"\n" else "\n"


def _path(root: Path, number: int) -> Path:
    return root / FOLDER / _LOGS / (f"{_NAME}.{number}.jsonl" if number else f"{_NAME}.jsonl")


def _rotate(root: Path, inode: int) -> None:
    """Begin a new file, unless another process has done so."""
    with _alone(root):
        if _path(root, 0).stat().st_ino != inode:
            return
        for number in range(KEPT, 0, -1):
            with contextlib.suppress(FileNotFoundError):
                _path(root, number - 1).replace(_path(root, number))


@contextlib.contextmanager
def _alone(root: Path) -> Iterator[None]:
    """One process at a time; where the system has no such lock, the check of the file must do."""
    try:
        import fcntl  # noqa: PLC0415 - Windows has none
    except ImportError:
        yield
        return
    descriptor = os.open(_path(root, 0).with_suffix(".lock"), os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
