"""Start of a second clone: a copy of the index of the first, brought up to date before it is used."""

from __future__ import annotations

import time
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

from aurora.faults import Code, Fault
from aurora.memory.database import copy_database, copy_index, open_store
from aurora.memory.files import open_scratch_path
from aurora.memory.indexing.reuse import find_other_clone
from aurora.memory.indexing.run import index_tree
from aurora.memory.indexing.scope import resolve_root
from aurora.memory.records import records
from aurora.memory.text_index import write as lexicon_write

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from aurora.memory.model.reports import IndexReport
    from aurora.memory.storage import Store, Tables

    Progress = Callable[[float, float | None, str], None]

_KEPT_META = ("secret_rules", "generation", "graph_generation")
"""Metadata that is true of the copy, too."""
_IGNORED = frozenset({Code.CONFLICT, Code.FORBIDDEN, Code.NOT_FOUND, Code.TIMEOUT, Code.UPSTREAM_ERROR})
"""What can be wrong with the memory of another clone: then its contents are looked up one by one, or not at all."""


def start_clone(store: Store, root: Path, progress: Progress) -> IndexReport | None:
    """Fill an empty memory from that of the clone that the person names, and bring it up to date.

    Facts, patterns and runs stay where they are. A kill leaves the memory as it was.

    Args:
        store: the open memory.
        root: the project's folder.
        progress: receives `(files done, files to do, message)`.

    Returns:
        The report; None without another clone, or when the memory has or had an index or records.

    Raises:
        Fault: as `index_tree`.
    """
    if store.read_only or not (found := find_other_clone(store.path)) or not _is_pristine(store):
        return None
    started, root = time.perf_counter(), resolve_root(root)
    progress(0, None, "copying the index of another clone")
    with open_scratch_path(store.path) as staged:
        if not _stage_index(found[0], staged):
            return None
        with closing(open_store(staged)) as copy:
            report = index_tree(copy, root, progress=progress)
        is_copied = copy_index(staged, store.path)
    return replace(report, seconds=time.perf_counter() - started) if is_copied else None


def _is_pristine(store: Store) -> bool:
    with store.begin_read() as db:
        return db.chunks.get_next_number() == 1 and not db.sizes.count_rows().files


def _stage_index(source: Path, staged: Path) -> bool:
    """Copy the index without the records; return False when there is none to be read."""
    try:
        copy_database(source, staged)
        with closing(open_store(staged)) as copy, copy.begin_write() as db:
            if not db.files.list_paths():
                return False
            _remove_records(db)
            db.meta.retain(_KEPT_META)
    except Fault as fault:
        if fault.code not in _IGNORED:
            raise
        return False
    return True


def _remove_records(db: Tables) -> None:
    """Remove the records with their words."""
    ids = [chunk.id for _, chunk in db.chunks.iter_records()]
    if ids:
        records.remove_records(db, ids)
        lexicon_write.merge_segments(db, db.postings.list_segments())
