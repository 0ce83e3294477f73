"""Adoption of the memory that an earlier version of Aurora kept in a linked worktree."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from aurora.faults import Fault, guard_commit
from aurora.faults.git import find_repository, list_linked_worktrees, open_session
from aurora.memory.database import copy_database
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
    """Find the memory in the worktree of a view; None without one, and for one that a commit brought."""
    inner = view.parents[2]
    for main in (inner, *inner.parents):
        found = list_linked_worktrees(main)
        if found is None:
            continue
        top = found.get(view.stem)
        old = top / inner.relative_to(main) / DATA_FOLDER / DATABASE_NAME if top is not None else None
        is_own = old is not None and old.is_file() and not old.is_symlink() and not _is_tracked(old)
        return old if is_own else None
    return None


def _is_tracked(path: Path) -> bool:
    """Return True for a file that a commit may have brought; True, too, when git cannot say."""
    try:
        repository = find_repository(path.parents[1].resolve())
        if repository is None:
            return True
        with open_session(repository, compares=True) as git:
            return git.run("ls-files", "-z", "--", f"{DATA_FOLDER}/{DATABASE_NAME}") != b""
    except Fault:
        return True


def _rename(old: Path) -> None:
    target = old.with_name(old.name + ADOPTED_SUFFIX)
    if target.exists():
        return
    for ending in COMPANION_SUFFIXES:
        companion = old.with_name(old.name + ending)
        if companion.exists():
            companion.rename(target.with_name(target.name + ending))
    old.rename(target)
