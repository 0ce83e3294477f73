"""Export file: atomic write, no overwrite of other files, read by line."""

from __future__ import annotations

import os
import stat
from functools import partial
from typing import TYPE_CHECKING

from aurora.faults import Code, Fault, write_atomically
from aurora.faults.paths import open_inside, write_inside
from aurora.memory.files import EXPORT_PREFIX

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MAX_LINE_BYTES = 64_000_000
"""Longest line in bytes; a step of a run is far shorter."""
_EXPORT_PREFIX = EXPORT_PREFIX.encode()


def write_export(target: Path, text: str, root: Path | None = None) -> None:
    """Write the export to a file atomically.

    Args:
        target: the file.
        text: the lines.
        root: the folder that must contain the file, also when another process exchanges folders for links meanwhile;
            None for a place that a person chose.

    Raises:
        Fault: CONFLICT if the file exists and is not an export, INVALID_INPUT for a folder, NOT_FOUND if its folder is
            missing, FORBIDDEN if it cannot be written.
    """
    try:
        _check_overwrite(target)
        if not target.parent.exists():
            raise FileNotFoundError
        data, check = text.encode("ascii"), partial(_check_overwrite, target)
        if root is None:
            write_atomically(target, data, check=check)
        else:
            write_inside(root, target.relative_to(root).as_posix(), data, check=check)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        raise _build_file_fault(target, error, "written") from None


def read_lines(source: Path, root: Path | None = None) -> Iterator[bytes]:
    """Yield the lines of a file, each cut just after `MAX_LINE_BYTES`.

    Args:
        source: the file.
        root: the folder that must contain the file; None for a file that a person chose.

    Raises:
        Fault: INVALID_INPUT if it is not a regular file, NOT_FOUND if it is missing, FORBIDDEN if it is unreadable
            or outside the root.
    """
    try:
        opened = None if root is None else open_inside(root, source.relative_to(root).as_posix())
        if opened is None and not stat.S_ISREG(source.stat().st_mode):  # a pipe without a writer would block
            kind = "a folder" if source.is_dir() else "not a regular file"
            raise Fault(
                Code.INVALID_INPUT,
                f'"{source}" is {kind}',
                help="name a file that `aur mem export` wrote; `-` reads standard input",
                details={"path": str(source)},
            )
        with source.open("rb") if opened is None else os.fdopen(opened, "rb") as file:
            while line := file.readline(MAX_LINE_BYTES + 1):
                yield line
                if len(line) > MAX_LINE_BYTES:
                    return
    except (OSError, ValueError) as error:
        raise _build_file_fault(source, error, "read") from None


def _check_overwrite(target: Path) -> None:
    if target.is_dir():
        raise Fault(
            Code.INVALID_INPUT,
            f'"{target}" is a folder',
            help="choose a file in it",
            details={"path": str(target)},
        )
    if not os.path.lexists(target):
        return
    ordinary = target.is_file() and not target.is_symlink()
    if ordinary:
        with target.open("rb") as file:
            begin = file.read(len(_EXPORT_PREFIX))
        if begin in {b"", _EXPORT_PREFIX}:
            return
    raise Fault(
        Code.CONFLICT,
        f'"{target}" exists and is not an export; it is unchanged',
        help="choose another file, or move it away",
        details={"path": str(target)},
    )


def _build_file_fault(path: Path, error: OSError | ValueError, done: str) -> Fault:
    if isinstance(error, FileNotFoundError):
        what = path if done == "read" else path.parent
        kind = "file" if done == "read" else "folder"
        return Fault(Code.NOT_FOUND, f'there is no {kind} "{what}"', help="check the path", details={"path": str(path)})
    why = getattr(error, "strerror", None) or str(error)
    return Fault(
        Code.FORBIDDEN,
        f'"{path}" cannot be {done}: {why}',
        help="check the path, its permissions, and the free disk space",
        details={"path": str(path)},
    )
