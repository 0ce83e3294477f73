"""Worktrees of a repository: the linked ones, and the folder that they share."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, NamedTuple

from aurora.faults.fault import Fault
from aurora.faults.paths.read import read_plain

from .config import read_settings
from .repository import find_repository, has_repository, resolve_pointer

if TYPE_CHECKING:
    from pathlib import Path

_POINTER_BYTES = 4096
_MAX_WORKTREES = 10_000
"""Most worktrees of a repository that are listed."""


class LinkedWorktree(NamedTuple):
    """Worktree that `git worktree add` made.

    Attributes:
        name: git's name for it, a folder in `worktrees` of the repository.
        top: its folder.
        main: the folder that all worktrees share: the main worktree, or the folder of a bare repository.
    """

    name: str
    top: Path
    main: Path


def find_linked_worktree(root: Path) -> LinkedWorktree | None:
    """Find the linked worktree that contains a folder, without starting git.

    The pointers are followed only if both ends name each other: `.git` names a folder in `worktrees` of a repository,
    and its `gitdir` names this `.git`. So no clone leads to the repository of another folder.

    Args:
        root: the folder, resolved.

    Returns:
        None for a main worktree, a submodule, a folder without a repository, and pointers that do not match.
    """
    top = next((folder for folder in (root, *root.parents) if os.path.lexists(folder / ".git")), None)
    if top is None or not _is_file(top / ".git"):
        return None
    try:
        found = find_repository(root)
        if found is None or found.top != top or found.folder.parent != found.common / "worktrees":
            return None
        if _read_top(found.folder) != top:
            return None
        return LinkedWorktree(found.folder.name, top, _find_main_folder(found.common))
    except Fault:
        return None


def list_linked_worktrees(main: Path) -> dict[str, Path] | None:
    """List the linked worktrees of a repository whose folders exist, by git's name for each.

    Args:
        main: the main worktree, or the folder of a bare repository.

    Returns:
        None when there is no repository, or it cannot be read.
    """
    tops = _read_tops(main)
    return None if tops is None else {folder.name: top for folder, top in tops.items() if top.is_dir()}


def list_kept_worktrees(main: Path) -> frozenset[str] | None:
    """List the linked worktrees that exist, or whose disk may only not be mounted, by git's name.

    A worktree may come back while it is locked, as `git worktree lock` says of one on a portable disk, and while the
    folder around it is missing or empty, as a mount point is.

    Args:
        main: the main worktree, or the folder of a bare repository.

    Returns:
        None when there is no repository, or it cannot be read.
    """
    tops = _read_tops(main)
    return None if tops is None else frozenset(folder.name for folder, top in tops.items() if _is_kept(folder, top))


def _is_kept(folder: Path, top: Path) -> bool:
    if top.is_dir() or os.path.lexists(folder / "locked"):
        return True
    try:
        return next(top.parent.iterdir(), None) is None
    except OSError:  # it is missing, or cannot be read
        return True


def _read_tops(main: Path) -> dict[Path, Path] | None:
    """Map git's folder of each linked worktree to the worktree; None without a readable repository."""
    common = _find_common_folder(main)
    if common is None:
        return None
    try:
        names = sorted(os.listdir(common / "worktrees"))[:_MAX_WORKTREES]  # noqa: PTH208 - names, not paths
    except FileNotFoundError:
        return {}
    except OSError:
        return None
    tops = {common / "worktrees" / name: _read_top(common / "worktrees" / name) for name in names}
    return {folder: top for folder, top in tops.items() if top is not None}


def _is_file(path: Path) -> bool:
    return stat.S_ISREG(path.lstat().st_mode)


def _read_top(folder: Path) -> Path | None:
    """Return the worktree that git's folder of it names; None if it names none."""
    back = read_plain(folder / "gitdir", _POINTER_BYTES)
    if back is None:
        return None
    pointer = resolve_pointer(folder, back)
    return pointer.parent if pointer.name == ".git" else None


def _find_main_folder(common: Path) -> Path:
    """Return the main worktree of a repository; its own folder when it is bare or names none.

    Raises:
        Fault: FORBIDDEN when the repository leads to another folder.
    """
    settings = dict([*read_settings(common / "config"), *read_settings(common / "config.worktree")])
    if settings.get("core.bare", "").lower() in {"true", "yes", "on", "1"}:
        return common
    named = settings.get("core.worktree")
    top = common.parent if named is None else resolve_pointer(common, os.fsencode(named))
    return top if _find_worktree_folder(top) == common else common


def _find_common_folder(main: Path) -> Path | None:
    """Return git's folder of a main worktree, or a bare repository itself; None for any other folder."""
    try:
        if not os.path.lexists(main / ".git") and os.path.lexists(main / "HEAD") and has_repository(main):
            return main
        return _find_worktree_folder(main)
    except Fault:
        return None


def _find_worktree_folder(top: Path) -> Path | None:
    """Return git's folder of the main worktree `top`; None without one."""
    found = find_repository(top) if os.path.lexists(top / ".git") else None
    return found.common if found is not None and found.top == top and found.folder == found.common else None
