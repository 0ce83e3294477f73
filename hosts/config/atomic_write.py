"""Atomic write of a file."""

from __future__ import annotations

import contextlib
import os
import secrets
from typing import TYPE_CHECKING

from aurora.faults import check_cancelled, guard_commit

if TYPE_CHECKING:
    from pathlib import Path


def write_atomically(path: Path, data: bytes, mode: int | None = None) -> None:
    """Replace the file's content atomically and durably; create its folder.

    Args:
        path: the file; an existing one keeps its mode.
        data: the whole content.
        mode: the mode of a new file; None applies the umask.

    Raises:
        OSError: the file cannot be written; its content is unchanged.
    """
    check_cancelled()
    path.parent.mkdir(parents=True, exist_ok=True)
    made = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with made.open("xb") as file:
            with contextlib.suppress(FileNotFoundError):
                mode = path.stat().st_mode & 0o777
            if mode is not None:
                os.chmod(made, mode)  # noqa: PTH101 - set the mode before the first byte is written
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        with guard_commit():
            os.replace(made, path)  # noqa: PTH105 - atomic
    except BaseException:
        with contextlib.suppress(OSError):
            made.unlink()
        raise
