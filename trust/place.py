"""Place of a project: its folder, its repository, and the identity of both."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from .identity import FolderIdentity, read_identity

_MAX_POINTER_BYTES = 4096 + 100
"""Size limit of a file `.git` and its kind: a path of Linux has at most 4,096 bytes."""
_POINTER = "gitdir:"
_WRITTEN_ONCE = "description"
"""File in a repository that `git init` and `git clone` write, and no command of git ever again."""


@dataclass(frozen=True, slots=True)
class ProjectPlace:
    """Place of a project.

    Attributes:
        root: the project's folder, absolute and resolved.
        repository: the folder that all worktrees of its repository share; None without git, and where a file `.git`
            names a repository that does not name this folder in return (a submodule).
        subfolder: the project's path in its worktree, with slashes; empty for the worktree itself.
        identity: the identity of the folder and the repository.
        watched: the paths that decided; while none of them changes, neither does the place.
    """

    root: str
    repository: str | None
    subfolder: str
    identity: FolderIdentity
    watched: tuple[str, ...]


class _GitPlace(NamedTuple):
    """Repository of a worktree: its folder or file `.git`, the file written once, the shared folder."""

    git: str
    mark: str
    repository: str | None
    watched: tuple[str, ...]


def locate_project(root: Path) -> ProjectPlace:
    """Find the project's repository, and read the identity of both; starts no process.

    Args:
        root: the project's folder, absolute and resolved.

    Raises:
        OSError: the folder, or its repository, is missing.
    """
    folder = os.fspath(root)
    top = _find_worktree(folder)
    found = _read_git_place(top) if top is not None else None
    if top is None or found is None:
        return ProjectPlace(folder, None, "", read_identity(folder, None, None), (folder,))
    subfolder = "" if top == folder else os.path.relpath(folder, top).replace(os.sep, "/")
    identity = read_identity(folder, found.git, found.mark)
    return ProjectPlace(folder, found.repository, subfolder, identity, (*_list_between(folder, top), *found.watched))


def _find_worktree(folder: str) -> str | None:
    """Return the nearest folder, from `folder` upwards, that has a `.git`."""
    while True:
        if os.path.lexists(f"{folder}{os.sep}.git"):
            return folder
        parent = os.path.dirname(folder)  # noqa: PTH120 - every call looks, and Path takes five times as long
        if parent == folder:
            return None
        folder = parent


def _list_between(folder: str, top: str) -> tuple[str, ...]:
    """List the folders from `folder` up to `top`."""
    between = [folder]
    while between[-1] != top:
        between.append(os.path.dirname(between[-1]))  # noqa: PTH120 - as above
    return tuple(between)


def _read_git_place(top: str) -> _GitPlace:
    """Return the repository of a worktree.

    A link is not followed, and a file `.git` is believed only where the repository names this worktree in return:
    else a folder could claim to be a worktree of a trusted repository.
    """
    git = f"{top}{os.sep}.git"
    if stat.S_ISDIR(os.lstat(git).st_mode):
        mark = f"{git}{os.sep}{_WRITTEN_ONCE}"
        return _GitPlace(git, mark, git, (git, mark))
    common, admin = _find_common_folder(top, git)
    if common is None:
        return _GitPlace(git, git, None, (git, admin))
    mark = f"{common}{os.sep}{_WRITTEN_ONCE}"
    return _GitPlace(common, mark, common, (git, f"{admin}{os.sep}commondir", f"{admin}{os.sep}gitdir", common, mark))


def _find_common_folder(top: str, pointer: str) -> tuple[str | None, str]:
    """Return the repository of a linked worktree, or None when it does not list it; and its folder there."""
    admin = Path(pointer)
    try:
        text = _read_line(admin)
        if not text.startswith(_POINTER):
            return None, pointer
        admin = Path(top, text.removeprefix(_POINTER).strip()).resolve()
        common = (admin / _read_line(admin / "commondir")).resolve()
        listed = (admin / _read_line(admin / "gitdir")).resolve()
        is_listed = admin.parent == common / "worktrees" and listed == Path(pointer)
    except (OSError, ValueError, RuntimeError):
        return None, os.fspath(admin)
    return os.fspath(common) if is_listed else None, os.fspath(admin)


def _read_line(path: Path) -> str:
    """Read a small regular file; a pipe would block the reader.

    Raises:
        OSError: it cannot be read.
        ValueError: it is not a regular file, too long, or not UTF-8.
    """
    if not stat.S_ISREG(path.lstat().st_mode):
        raise ValueError(f"{path} is not a regular file")
    with path.open("rb") as file:
        data = file.read(_MAX_POINTER_BYTES + 1)
    if len(data) > _MAX_POINTER_BYTES:
        raise ValueError(f"{path} is too long")
    return data.decode("utf-8").strip()
