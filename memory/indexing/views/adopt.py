"""Adoption of the memory that an earlier version of Aurora kept in a linked worktree."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from aurora.faults import guard_commit
from aurora.faults.git import list_linked_worktrees
from aurora.memory.database import copy_database, settle_files
from aurora.memory.files import COMPANION_SUFFIXES, DATA_FOLDER, DATABASE_NAME, open_scratch_path, prepare_folder

if TYPE_CHECKING:
    from pathlib import Path

ADOPTED_SUFFIX = ".shared"
"""Suffix of the file that earlier versions used, once the repository's memory has its content."""


def adopt_memory(view: Path) -> bool:
    """Make the memory in a linked worktree its view; the next transaction shares its records.

    A kill leaves either no view, and the next call begins again, or the whole one. The file stays under another name.

    Args:
        view: the path of the view, which does not exist.

    Returns:
        False when there was none, or another process was faster.

    Raises:
        Fault: as the store does, for a damaged memory or one of a newer version.
    """
    old = find_old_memory(view)
    if old is None:
        return False
    prepare_folder(view)
    with open_scratch_path(view) as staged:
        copy_database(old, staged)
        with guard_commit():
            try:
                view.hardlink_to(staged)
            except FileExistsError:
                return False
    with suppress(OSError), guard_commit():
        _rename(old)
    return True


def find_old_memory(view: Path) -> Path | None:
    """Find the memory in the worktree of a view; None without one, and for one of another account."""
    inner = view.parents[2]
    for main in (inner, *inner.parents):
        found = list_linked_worktrees(main)
        if found is None:
            continue
        top = found.get(view.stem)
        old = top / inner.relative_to(main) / DATA_FOLDER / DATABASE_NAME if top is not None else None
        is_own = old is not None and old.is_file() and not old.is_symlink() and settle_files(old, moves=False)
        return old if is_own else None
    return None


def _rename(old: Path) -> None:
    target = old.with_name(old.name + ADOPTED_SUFFIX)
    if target.exists():
        return
    for ending in COMPANION_SUFFIXES:
        companion = old.with_name(old.name + ending)
        if companion.exists():
            companion.rename(target.with_name(target.name + ending))
    old.rename(target)
