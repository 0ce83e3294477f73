"""Safe reading of untrusted files: bounded, and never a pipe or a device."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

from aurora.faults import Fault
from aurora.faults.paths.read import open_inside

if TYPE_CHECKING:
    from pathlib import Path

_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
MAX_BYTES = 1_048_576
"""Limit of a file's size; a workflow of 1,000 phases has some 300 kB."""


class UnreadableFileError(Exception):
    """A file that cannot be read; the text is the reason in a few words."""


class FileTooBigError(UnreadableFileError):
    """A file of more than `MAX_BYTES` bytes."""


def read_file(path: Path, folder: Path | None = None) -> bytes:
    """Read the bytes of a regular file.

    Args:
        path: the file.
        folder: a resolved folder which the file must not leave, also when another process puts a link in its place.

    Raises:
        FileTooBigError: it is larger than `MAX_BYTES`.
        UnreadableFileError: it is missing, not a regular file (a pipe would block forever), or not readable.
    """
    _check_regular(path)
    try:
        handle = os.open(path, _READ) if folder is None else open_inside(folder, str(path))
    except (OSError, ValueError) as error:
        raise UnreadableFileError(_describe_error(error)) from None
    except Fault as fault:
        raise UnreadableFileError(f"{fault.code.value.lower().replace('_', ' ')}") from None
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):  # it was replaced since
            raise UnreadableFileError("it is not a plain file")
        with os.fdopen(handle, "rb", closefd=False) as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise UnreadableFileError(_describe_error(error)) from None
    finally:
        os.close(handle)
    if len(data) > MAX_BYTES:
        raise FileTooBigError(f"it is larger than {MAX_BYTES:,} bytes")
    return data


def _check_regular(path: Path) -> None:
    """Reject what is not a regular file before it is opened: opening a pipe or a device has effects."""
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError) as error:
        raise UnreadableFileError(_describe_error(error)) from None
    if not stat.S_ISREG(mode):
        raise UnreadableFileError("it is a folder" if stat.S_ISDIR(mode) else "it is not a plain file")


def _describe_error(error: Exception) -> str:
    """Return the system's reason, as `no such file or directory`."""
    text = getattr(error, "strerror", None) or "that is not a file name"
    return text[:1].lower() + text[1:]
