"""Rebuilding: what came from files is forgotten and read anew; what only the memory knows is not touched."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from aurora.memory.database import open_store
from aurora.memory.indexing import write as index_write
from aurora.memory.indexing.run import index
from aurora.memory.indexing.scope import folder
from aurora.memory.text_index import verify as lexicon_verify

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from aurora.memory.model.reports import IndexReport

    Progress = Callable[[float, float | None, str], None]


def rebuild(database: Path, root: Path, progress: Progress) -> IndexReport:
    """Index the project as if for the first time. Stopped in between, the next indexing completes it.

    Args:
        database: the file; made when missing.
        root: the project's folder.
        progress: told `(files done, files to do, message)`, again and again.

    Raises:
        Fault: NOT_FOUND, INVALID_INPUT or FORBIDDEN for a folder that cannot be indexed, and those of the store;
            nothing is forgotten then.
    """
    root = folder(root)
    with closing(open_store(database)) as store:
        index_write.begin(store, root)
        with store.writing() as db:
            db.files.clear()
            db.damage.remove_strays()
            db.nodes.clear()
            lexicon_verify.rebuild(db)
            db.facts.chunks_changed()
        return index(store, root, progress=progress)
