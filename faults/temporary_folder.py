"""Temporary folders, which the next run removes if this process is killed."""

from __future__ import annotations

import os
import re
import shutil
import stat
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from .leftovers import identify_place, is_abandoned

if TYPE_CHECKING:
    from collections.abc import Iterator

_NAME = re.compile(r"aurora-[a-z]+-(?P<pid>\d{1,10})-(?P<place>[0-9a-f]{8})-\w+")


@contextmanager
def open_temporary_folder(kind: str) -> Iterator[Path]:
    """Create a private folder in the system's folder for temporary files, and delete it after the block.

    Args:
        kind: a word in its name: `git` for `aurora-git-…`.

    Raises:
        OSError: it cannot be created.
    """
    _remove_old_folders(Path(tempfile.gettempdir()))
    prefix = f"aurora-{kind}-{os.getpid()}-{identify_place()}-"
    with tempfile.TemporaryDirectory(prefix=prefix, ignore_cleanup_errors=True) as folder:
        yield Path(folder)


def _remove_old_folders(parent: Path) -> None:
    with suppress(OSError), os.scandir(parent) as entries:
        for entry in entries:
            found = _NAME.fullmatch(entry.name)
            if found and is_abandoned(found, entry, stat.S_ISDIR):
                shutil.rmtree(entry.path, ignore_errors=True)
