"""Installation: its workflows, and how to add extras or upgrade; no registry has Aurora."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

SHIPPED_FOLDER = Path(__file__).resolve().parents[1] / "workflows"
"""Folder of the workflows that come with Aurora."""
_CLONE = "in the folder of Aurora's clone"


def describe_extra_install(extra: str) -> str:
    """Return the clause that tells how to install an extra from the clone, as Aurora itself is."""
    return (
        f"{_CLONE}, run `pip install '.[{extra}]'` with the Python of this `aur`, "
        f"or `uv tool install --force '.[{extra}]'`"
    )


def describe_upgrade() -> str:
    """Return the clause that tells how to install a newer Aurora."""
    return (
        f"{_CLONE}, run `git pull`, then `pip install .` with the Python of this `aur`, or `uv tool install --force .`"
    )


def stamp_modules(folder: str) -> Iterator[tuple[str, int, int]]:
    """Yield the Python files of a package with their times and sizes, which an upgrade or an edit changes.

    Raises:
        OSError: a folder cannot be read.
    """
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir() and entry.name != "__pycache__":
                yield from stamp_modules(entry.path)
            elif entry.name.endswith(".py"):
                status = entry.stat()
                yield entry.path, status.st_mtime_ns, status.st_size
