"""Files of the project that are not in the index, with the reasons."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.memory.files import discover_files, read_source
from aurora.memory.model import SkippedFile

if TYPE_CHECKING:
    from pathlib import Path

    from aurora.memory.storage import Store


def list_left_out(store: Store, root: Path) -> tuple[SkippedFile, ...]:
    """List the files that an indexing skips, sorted by path.

    It reads those that are not in the index.

    Args:
        store: the memory.
        root: the project's folder.

    Raises:
        Fault: see `storage.Store`.
    """
    with store.begin_read() as db:
        known = db.files.get_known()
    found = []
    for file in discover_files(root, ()) if root.is_dir() else ():
        if not isinstance(file, SkippedFile) and file.path in known:
            continue
        source = file if isinstance(file, SkippedFile) else read_source(file, root)
        if isinstance(source, SkippedFile):
            found.append(source)
    return tuple(sorted(found, key=lambda one: one.path))
