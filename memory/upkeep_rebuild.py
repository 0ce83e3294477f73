"""Rebuilding: what came from files is forgotten and read anew; what only the memory knows is not touched."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from . import index_write, lexicon_verify, store_chunks
from .index import index
from .index_places import folder
from .sqlite.store import Store

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import apsw

    from .model_reports import IndexReport

    Progress = Callable[[float, float | None, str], None]

GRAPH = ("edges", "refs", "nodes", "graph_pending", "graph_gone", "graph_packed")


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
    with closing(Store(database)) as store:
        index_write.begin(store, root)
        with store.writing() as db:
            db.execute("DELETE FROM files")
            db.execute("DELETE FROM chunks WHERE path IS NOT NULL")
            forget_graph(db)
            lexicon_verify.rebuild(db)
            store_chunks.changed(db)
        return index(store, root, progress=progress)


def forget_graph(db: apsw.Connection) -> None:
    """Empty the code graph's tables, inside the write transaction that is open."""
    for table in GRAPH:
        db.execute(f"DELETE FROM {table}")  # noqa: S608 - a constant
    db.execute("DELETE FROM graph_pending")  # the nodes' trigger has filled it again
