"""Views of a repository: their files, what they contain, and the removal of unused ones."""

from __future__ import annotations

from contextlib import closing, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from aurora.faults import Fault
from aurora.faults.git.worktrees import list_kept_worktrees
from aurora.memory.database import open_store
from aurora.memory.files import COMPANION_SUFFIXES, VIEWS_FOLDER, list_view_files
from aurora.memory.indexing.state import describe_state

if TYPE_CHECKING:
    from pathlib import Path


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
