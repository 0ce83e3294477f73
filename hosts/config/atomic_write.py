"""A file is written whole or not at all."""

from __future__ import annotations

import contextlib
import os
import secrets
from typing import TYPE_CHECKING

from aurora.faults import check_cancelled, guard_commit

if TYPE_CHECKING:
    from pathlib import Path


def write_atomically(path: Path, data: bytes, mode: int | None = None) -> None:
    """Give the file this content, durably and at once; its folder is made where it is missing.

    Args:
        path: the file; when it is there, it keeps its mode.
        data: all that it is to hold.
        mode: the rights of a new file; as the process's umask has it when None.

    Raises:
        OSError: when it cannot be written; what was there before still is.
    """
    check_cancelled()
    path.parent.mkdir(parents=True, exist_ok=True)
    made = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with made.open("xb") as file:
            with contextlib.suppress(FileNotFoundError):
                mode = path.stat().st_mode & 0o777
            if mode is not None:
                os.chmod(made, mode)  # noqa: PTH101 - before a byte of it is there to be read
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        with guard_commit():
            os.replace(made, path)  # noqa: PTH105 - atomic
    except BaseException:
        with contextlib.suppress(OSError):
            made.unlink()
        raise
