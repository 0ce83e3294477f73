"""Rebuilding: what came from files is forgotten and read anew; what only the memory knows is not touched."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from aurora.memory.database import open_store
from aurora.memory.indexing import index_tree, resolve_root
from aurora.memory.indexing import write as index_write
from aurora.memory.text_index import verify as lexicon_verify

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from aurora.memory.model import IndexReport

    Progress = Callable[[float, float | None, str], None]


def rebuild_memory(database: Path, root: Path, progress: Progress) -> IndexReport:
    """Index the project as if for the first time. Stopped in between, the next indexing completes it.

    Args:
        database: the file; made when missing.
        root: the project's folder.
        progress: told `(files done, files to do, message)`, again and again.

    Raises:
        Fault: NOT_FOUND, INVALID_INPUT or FORBIDDEN for a folder that cannot be indexed, and those of the store;
            nothing is forgotten then.
    """
    root = resolve_root(root)
    with closing(open_store(database)) as store:
        index_write.begin_run(store, root)
        with store.begin_write() as db:
            db.files.clear()
            db.damage.remove_orphan_chunks()
            db.nodes.clear()
            lexicon_verify.rebuild_index(db)
            db.meta.bump_generation()
        return index_tree(store, root, progress=progress)
