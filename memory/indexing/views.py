"""Views: the databases of linked worktrees, and the start of a view or a second clone."""

from __future__ import annotations

import time
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from aurora.errors import Code, Fault
from aurora.memory.database import copy_database, copy_index, install_copy, open_store
from aurora.memory.files import (
    COMPANION_SUFFIXES,
    VIEWS_FOLDER,
    discover_files,
    get_shared_database,
    is_view,
    list_other_databases,
    list_view_files,
    open_scratch_path,
)
from aurora.memory.model.reports import SkippedFile
from aurora.memory.records import records, view_store
from aurora.memory.text_index import write as lexicon_write
from aurora.system.git.worktrees import list_kept_worktrees

from .reuse import find_other_clone
from .run import index_tree
from .scope import resolve_root
from .state import describe_state

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from aurora.memory.model.chunks import FileFingerprint
    from aurora.memory.model.reports import IndexReport
    from aurora.memory.storage.store import Store, Tables

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
        # Numbers are never used twice, so the next one tells whether there has ever been a chunk.
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
        # Merged at once, so that no word of a removed record stays in a row of the copy.
        lexicon_write.merge_segments(db, db.postings.list_segments())


_START_KEPT_META = ("secret_rules", "generation", "graph_generation", "records_version", "records_identity")
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
        # Not checked: a view is an index that can be made again, so that a damaged copy does no lasting harm.
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
    # Compared by size: to hash the tree would take as long as to read it for the index.
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
        view_store.mark_shared(db)
    db.meta.retain(_START_KEPT_META)
    db.runs.clear()
    db.records.clear_undo_entries()
    db.usage.clear()


@dataclass(frozen=True, slots=True)
class View:
    """Database of a linked worktree.

    Attributes:
        name: git's name for the worktree.
        path: the database file.
        root: the worktree that was indexed; empty before its first indexing.
        branch, commit: what was checked out at the last indexing of the whole tree; empty without one.
        state: of the index, as in `MaintenanceStats`; `unreadable` when it cannot be opened.
        files: number of indexed files.
        size_bytes: size of the database and its log.
        is_used: False when the worktree is gone.
    """

    name: str
    path: Path
    root: str = ""
    branch: str = ""
    commit: str = ""
    state: str = "unreadable"
    files: int = 0
    size_bytes: int = 0
    is_used: bool = True


def list_views(shared: Path) -> tuple[View, ...]:
    """Describe the views of a repository, by name.

    Args:
        shared: the shared database of the repository.

    Raises:
        Fault: FORBIDDEN when the folder of the views is a link out of the project.
    """
    names = list_worktree_names(shared)
    return tuple(_describe_view(path, is_used=names is None or path.stem in names) for path in list_view_files(shared))


def list_worktree_names(shared: Path) -> frozenset[str] | None:
    """List git's names of the linked worktrees that exist, or may come back; None without git's files."""
    for main in shared.parents[1:]:
        found = list_kept_worktrees(main)
        if found is not None:
            return found
    return None


def remove_unused_views(shared: Path) -> tuple[str, ...]:
    """Remove the views of worktrees that are gone; their records are in the shared database.

    Args:
        shared: the shared database of the repository.

    Returns:
        The names of the worktrees.
    """
    names = list_worktree_names(shared)
    gone = [] if names is None else [path for path in list_view_files(shared) if path.stem not in names]
    for path in gone:
        for place in (path, *(path.with_name(path.name + ending) for ending in COMPANION_SUFFIXES)):
            place.unlink(missing_ok=True)
    # Where git's files cannot be read, no worktree is known to be gone, and nothing is removed.
    if names is not None:
        _remove_damaged(shared, names)
    return tuple(path.stem for path in gone)


def _remove_damaged(shared: Path, names: frozenset[str]) -> None:
    """Remove the damaged databases that a repair set aside in views of worktrees that are gone."""
    with suppress(OSError):
        for path in (shared.parent / VIEWS_FOLDER).iterdir():
            name, mark, _ = path.name.partition(".db.damaged-")
            if mark and name not in names and not path.is_dir():
                path.unlink(missing_ok=True)


def _describe_view(path: Path, *, is_used: bool) -> View:
    size = _measure_size(path)
    try:
        with closing(open_store(path, read_only=True)) as store:
            with store.begin_read() as db:
                meta, files = db.meta.get_all(), db.sizes.count_rows().files
            state = describe_state(store, meta) or "never"
    except Fault:
        return View(path.stem, path, size_bytes=size, is_used=is_used)
    what = (meta.get("root", ""), meta.get("branch", ""), meta.get("commit", ""))
    return View(path.stem, path, *what, state, files, size, is_used)


def _measure_size(path: Path) -> int:
    places = (path, path.with_name(f"{path.name}-wal"))
    return sum(place.stat().st_size for place in places if place.exists())
