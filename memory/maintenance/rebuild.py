"""Rebuild: read all files again; records and runs stay."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from aurora.memory import text_index
from aurora.memory.database import open_store
from aurora.memory.indexing import begin_run, index_tree, own_run, resolve_root

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from aurora.memory.model import IndexReport
    from aurora.memory.storage import Store

    Progress = Callable[[float, float | None, str], None]


def rebuild_memory(database: Path, root: Path, progress: Progress) -> IndexReport:
    """Index the project from scratch; an interrupted rebuild can be continued.

    Args:
        database: the file, created if missing.
        root: the project's folder.
        progress: called with `(files done, files to do, message)`.

    Raises:
        Fault: NOT_FOUND, INVALID_INPUT or FORBIDDEN for a folder that cannot be indexed, and those of the store;
            nothing is removed then.
    """
    with closing(open_store(database)) as store:
        return rebuild_index(store, root, progress)


def rebuild_index(store: Store, root: Path, progress: Progress) -> IndexReport:
    """Index the project from scratch into an open memory; see `rebuild_memory`."""
    root = resolve_root(root)
    with own_run(store) as owner:
        begin_run(store, root, owner=owner)
        with store.begin_write() as db:
            db.files.clear()
            db.contents.clear()
            db.damage.remove_orphan_chunks()
            db.nodes.clear()
            text_index.rebuild_index(db)
            db.meta.bump_generation()
        return index_tree(store, root, progress=progress)
