"""Start of a view: a copy of the most similar index, brought up to date before it is used."""

from __future__ import annotations

import time
from contextlib import closing, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from aurora.faults import Fault
from aurora.memory.database import copy_database, install_copy, open_store
from aurora.memory.files import discover_files, get_shared_database, is_view, list_other_databases, open_scratch_path
from aurora.memory.indexing.run import index_tree
from aurora.memory.indexing.scope import resolve_root
from aurora.memory.model.reports import SkippedFile
from aurora.memory.records import sharing

from .listing import remove_unused_views

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from aurora.memory.model.chunks import FileFingerprint
    from aurora.memory.model.reports import IndexReport
    from aurora.memory.storage import Store, Tables

    Progress = Callable[[float, float | None, str], None]

_KEPT_META = ("secret_rules", "generation", "graph_generation", "records_version", "records_identity")
"""Metadata that is true of the copy, too."""


class _Source(NamedTuple):
    path: Path
    files: Mapping[str, FileFingerprint]


def start_view(store: Store, root: Path, progress: Progress) -> IndexReport | None:
    """Fill an empty view from the most similar index of the repository, and bring it up to date.

    The copy gets its place when it is complete: no search finds files of another worktree, and a kill leaves the view
    empty.

    Args:
        store: the open view.
        root: the worktree.
        progress: receives `(files done, files to do, message)`.

    Returns:
        The report; None when the view has files, or no other index has any.

    Raises:
        Fault: as `index_tree`.
    """
    if not is_view(store.path) or not _is_empty(store):
        return None
    started, root = time.perf_counter(), resolve_root(root)
    shared = get_shared_database(store.path)
    remove_unused_views(shared)
    source = _choose_source(list_other_databases(store.path), root)
    if source is None:
        return None
    progress(0, None, "copying the index of another worktree")
    with open_scratch_path(store.path) as staged:
        copy_database(source.path, staged, checks=False)
        with closing(open_store(staged)) as copy:
            with copy.begin_write() as db:
                _clean_copy(db, is_shared=source.path == shared)
            report = index_tree(copy, root, progress=progress)
        if _is_empty(store):  # else another process was faster
            install_copy(staged, store.path)
    return replace(report, seconds=time.perf_counter() - started)


def _is_empty(store: Store) -> bool:
    with store.begin_read() as db:
        return not db.sizes.count_rows().files


def _choose_source(paths: list[Path], root: Path) -> _Source | None:
    """Choose the index with the most files of this tree."""
    found = [source for path in paths if (source := _read_source(path)) is not None]
    if len(found) < 2:  # noqa: PLR2004 - nothing to compare
        return next(iter(found), None)
    listed = [file for file in discover_files(root, ()) if not isinstance(file, SkippedFile)]
    sizes = {file.path: file.size for file in listed}
    return max(found, key=lambda source: _count_similar(source, sizes))


def _read_source(path: Path) -> _Source | None:
    """Read the files of an index; None for one that is empty or cannot be opened."""
    with suppress(Fault), closing(open_store(path, read_only=True)) as store, store.begin_read() as db:
        if files := db.files.get_known():
            return _Source(path, files)
    return None


def _count_similar(source: _Source, sizes: Mapping[str, int]) -> int:
    return sum(sizes.get(path) == known[0] for path, known in source.files.items())


def _clean_copy(db: Tables, *, is_shared: bool) -> None:
    """Remove from a copy what belongs to the other worktree or to the repository alone."""
    if is_shared:
        sharing.mark_shared(db)
    db.meta.retain(_KEPT_META)
    db.runs.clear()
    db.records.clear_undo_entries()
    db.usage.clear()
