"""Access rights: what the memory contains is for its owner only."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

PRIVATE = 0o600
"""Mode of each file of the memory: its owner reads and writes it."""


def create_private(path: Path) -> None:
    """Create an empty file for its owner only; SQLite gives its log and index the rights of the database.

    Raises:
        OSError: the file cannot be created.
    """
    with contextlib.suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, PRIVATE))
