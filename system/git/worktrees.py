"""Worktrees of a repository, and the copies of it inside a project, read without starting git."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from aurora.errors import Fault
from aurora.system.paths.read import read_plain

from .repository import POINTER_BYTES, find_repository, has_repository, read_settings, resolve_pointer

if TYPE_CHECKING:
    from .repository import Repository

_ADDRESS_HEAD = re.compile(r"(?:[a-z+]+://)?(?:[^@/]*@)?", re.IGNORECASE)
_MAX_ALTERNATES_BYTES = 64_000
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
    # In a main worktree `.git` is a folder; a linked one and a submodule have a file.
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
    back = read_plain(folder / "gitdir", POINTER_BYTES)
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


# Assistants make working trees and clones inside the project, such as `.claude/worktrees/`: indexed, each symbol would
# be found as often as there are copies, and the newest text would not be told from the others.
class RepositoryCopy(NamedTuple):
    """Reason why a repository inside a project is no part of it.

    Attributes:
        reason: `worktree` or `clone`.
        detail: what it is, for people.
    """

    reason: str
    detail: str


_WORKTREE = RepositoryCopy("worktree", "another working tree of the same repository")


def find_copy(folder: Path, root: Path, project: Repository | None) -> RepositoryCopy | None:
    """Find out whether a folder with `.git` is a copy or a clone of a tool.

    It reads what `.git` says without starting git, and no pipe, link loop or large file stops it. The caller has asked
    before whether git tracks the folder: a submodule is never a copy.

    Args:
        folder: the folder, resolved, below the root.
        root: the project's folder, resolved.
        project: the repository of the root; None without one.

    Returns:
        None for a repository that is part of the project, and for a `.git` that makes no repository.
    """
    named = _find_git_folder(folder)
    if named is None:
        return None
    common = _find_shared_folder(named)
    if named.parent.name == "worktrees" and (common is None or _is_known(common, root, project)):
        return _WORKTREE
    if common is None or (project is not None and _is_submodule(named, project)):
        return None
    copy = _compare_repositories(common, project) if project is not None else None
    if copy is None and any(part.startswith(".") for part in folder.relative_to(root).parts):
        return RepositoryCopy("clone", "a clone in a hidden folder, where tools put theirs")
    return copy


def _find_git_folder(folder: Path) -> Path | None:
    """Return the folder that `.git` is or names, which need not exist; None for anything else."""
    entry = folder / ".git"
    try:
        kind = entry.lstat().st_mode
    except OSError:
        return None
    if stat.S_ISDIR(kind) or stat.S_ISLNK(kind):
        return Path(os.path.realpath(entry))
    pointer = (read_plain(entry, POINTER_BYTES) or b"") if stat.S_ISREG(kind) else b""
    return resolve_pointer(folder, pointer.removeprefix(b"gitdir:")) if pointer.startswith(b"gitdir:") else None


def _find_shared_folder(named: Path) -> Path | None:
    """Return git's folder with the objects; None when there is no repository."""
    pointer = read_plain(named / "commondir", POINTER_BYTES)
    common = named if pointer is None else resolve_pointer(named, pointer)
    try:
        return common if os.path.lexists(named / "HEAD") and has_repository(common) else None
    except Fault:  # its objects or refs are links, as in a working tree of `git-new-workdir`
        return common


def _is_known(common: Path, root: Path, project: Repository | None) -> bool:
    """Return whether a repository is the project's or that of a submodule, or lies inside the project."""
    return common.is_relative_to(root) or (project is not None and common.is_relative_to(project.common))


def _is_submodule(named: Path, project: Repository) -> bool:
    """Return whether git keeps a repository as that of a submodule, which may be in no index yet."""
    return any(named.is_relative_to(folder / "modules") for folder in {project.folder, project.common})


def _compare_repositories(common: Path, project: Repository) -> RepositoryCopy | None:
    if os.path.realpath(common / "objects") == os.path.realpath(project.common / "objects"):
        return _WORKTREE
    if _list_addresses(common).isdisjoint(_list_project_addresses(project)):
        return None
    return RepositoryCopy("clone", "a second clone of the same repository")


def _list_addresses(common: Path) -> set[str]:
    """List where a repository was cloned from, and whose objects it borrows."""
    borrowed = read_plain(common / "objects" / "info" / "alternates", _MAX_ALTERNATES_BYTES) or b""
    folders = (os.path.realpath(common / "objects" / os.fsdecode(line)) for line in borrowed.splitlines() if line)
    return {_shorten_address(str(Path(one).parent)) for one in folders} | _list_remotes(common)


def _list_project_addresses(project: Repository) -> set[str]:
    return _list_remotes(project.common) | {_shorten_address(str(one)) for one in (project.top, project.common)}


def _list_remotes(common: Path) -> set[str]:
    settings = read_settings(common / "config")
    return {_shorten_address(value) for key, value in settings if re.fullmatch(r"remote\..*\.url", key) and value}


def _shorten_address(address: str) -> str:
    """Return an address without what does not tell repositories apart: the protocol, the user, `.git`."""
    place = address[_ADDRESS_HEAD.match(address).end() :]  # type: ignore[union-attr]  # it matches the empty text, too
    return place.replace(":", "/").rstrip("/").removesuffix(".git").rstrip("/").casefold()
