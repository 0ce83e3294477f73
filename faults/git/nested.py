"""Repositories inside a project: part of it, or a copy that a tool or a person made of it."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from aurora.faults.fault import Fault
from aurora.faults.paths.read import read_plain

from .config import read_settings
from .repository import POINTER_BYTES, has_repository, resolve_pointer

if TYPE_CHECKING:
    from .repository import Repository

_ADDRESS_HEAD = re.compile(r"(?:[a-z+]+://)?(?:[^@/]*@)?", re.IGNORECASE)
_MAX_ALTERNATES_BYTES = 64_000


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
    common = _find_common_folder(named)
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


def _find_common_folder(named: Path) -> Path | None:
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
