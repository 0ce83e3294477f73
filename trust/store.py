"""List of the folders that the person trusts, each with the contents that they were shown."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from aurora.errors import Fault
from aurora.system.git.repository import find_repository

from .state import PrivateList

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

MAX_VERSIONS = 20
"""Versions of a definition that are kept: worktrees of one repository have several at a time."""
MAX_DEFINITIONS = 4_000
_WRITTEN_ONCE = "description"
"""File in a repository that `git init` and `git clone` write, and no command of git ever again."""

FileHashes = tuple[tuple[str, str], ...]
"""The files of a definition, its own first, each with its SHA-256: paths relative to the project, with slashes.

The path counts, not only the content: a file without a `name` is called like its file, so a harmless one that is moved
could take the place of another.
"""


def hash_bytes(content: bytes) -> str:
    """Hash the content of a file."""
    return hashlib.sha256(content).hexdigest()


class ShownContents:
    """Definitions that the person was shown.

    Args:
        definitions: the definitions, the newest last.
    """

    def __init__(self, definitions: Iterable[FileHashes] = ()) -> None:
        self._by_own_file: dict[tuple[str, str], list[frozenset[tuple[str, str]]]] = {}
        for files in definitions:
            self._by_own_file.setdefault(files[0], []).append(frozenset(files))
        self._files = {one for versions in self._by_own_file.values() for files in versions for one in files}
        self._paths = {path for path, _ in self._files}

    def has(self, files: FileHashes) -> bool:
        """Return whether all these files were shown together, as one definition."""
        # A superset is enough: a file that the definition no longer names was shown all the same.
        return bool(files) and any(version.issuperset(files) for version in self._by_own_file.get(files[0], ()))

    def list_versions(self, path: str, digest: str) -> list[frozenset[tuple[str, str]]]:
        """List the versions with this content of their own file, each with all its files."""
        return self._by_own_file.get((path, digest), [])

    def has_file(self, path: str, digest: str) -> bool:
        """Return whether this content was shown at this path."""
        return (path, digest) in self._files

    def has_path(self, path: str) -> bool:
        """Return whether any content was shown at this path."""
        return path in self._paths


@dataclass(frozen=True, slots=True)
class ProjectPlace:
    """Place of a project, and what tells it from another folder at its path.

    Only contents that the person was shown are used, so this need not withstand an attacker: it lets Aurora ask again
    about a folder as a whole when another repository takes its place.

    Attributes:
        root: the project's folder, absolute and resolved.
        repository: the folder that all worktrees of its repository share; None without git, and where a file `.git`
            names a repository that does not name this folder in return.
        subfolder: the project's path in its worktree, with slashes; empty for the worktree itself.
        inode: the folder's inode number.
        mark: inode number and time of modification of a file that git writes once, at the clone; None without git.
        watched: the paths that decided; while none of them changes, neither does the place.
    """

    root: str
    repository: str | None
    subfolder: str
    inode: int
    mark: tuple[int, int] | None
    watched: tuple[str, ...]


# No creation times and no device: Python has none on Linux before 3.15, a device number changes at a restart, and what
# is used was shown by its hash anyway.
def locate_project(root: Path) -> ProjectPlace:
    """Find the project's repository without starting git.

    Args:
        root: the project's folder, absolute and resolved.

    Raises:
        OSError: the folder is missing.
    """
    inode = root.lstat().st_ino
    try:
        found = find_repository(root)
    except Fault:  # `.git` leads to the repository of another folder
        found = None
    if found is None:
        return ProjectPlace(str(root), None, "", inode, None, (str(root), str(root / ".git")))
    subfolder = "" if found.top == root else root.relative_to(found.top).as_posix()
    mark = str(found.common / _WRITTEN_ONCE)
    watched = (str(root), str(found.top / ".git"), mark)
    return ProjectPlace(str(root), str(found.common), subfolder, inode, _read_mark(mark), watched)


def _read_mark(path: str) -> tuple[int, int] | None:
    try:
        status = os.lstat(path)
    except OSError:  # the templates of git may lack the file
        return None
    return status.st_ino, status.st_mtime_ns


@dataclass(frozen=True, slots=True)
class TrustedFolder:
    """Folder that the person trusts.

    Attributes:
        root, repository, subfolder, inode, mark: as in `ProjectPlace`, when it was trusted.
        since: the time, in ISO 8601, UTC.
        shown: the definitions that the person was shown; no other content of the folder is used.
    """

    root: str
    repository: str | None
    subfolder: str
    inode: int
    mark: tuple[int, int] | None
    since: str
    shown: tuple[FileHashes, ...] = ()

    @classmethod
    def from_place(cls, place: ProjectPlace, since: str, shown: tuple[FileHashes, ...] = ()) -> TrustedFolder:
        """Return the entry of a place that is trusted now."""
        return cls(place.root, place.repository, place.subfolder, place.inode, place.mark, since, shown)

    def covers(self, place: ProjectPlace) -> bool:
        """Return whether the place is this folder, or the same folder in a worktree of this repository."""
        is_same_folder = self.root == place.root and self.inode == place.inode
        if self.repository is None:
            return is_same_folder
        # A worktree elsewhere has an inode of its own; another inode at the same path is another folder.
        return self.has_repository_of(place) and self.mark == place.mark and (is_same_folder or self.root != place.root)

    def has_repository_of(self, place: ProjectPlace) -> bool:
        """Return whether the place is at the same path of the same repository's path."""
        return self.repository is not None and (self.repository, self.subfolder) == (place.repository, place.subfolder)

    def to_json(self) -> dict[str, Any]:
        """Return the JSON object."""
        return {
            "folder": self.root,
            "repository": self.repository,
            "subfolder": self.subfolder,
            "inode": self.inode,
            "mark": self.mark,
            "since": self.since,
            "shown": self.shown,
        }

    @classmethod
    def from_json(cls, value: Any) -> TrustedFolder:
        """Return the entry of a JSON object.

        Raises:
            ValueError, TypeError, LookupError: it is not the object of an entry.
        """
        texts = [value[key] for key in ("folder", "subfolder", "since", "repository") if value[key] is not None]
        numbers = [value["inode"], *(value["mark"] or ())]
        if not all(isinstance(text, str) for text in texts) or any(type(number) is not int for number in numbers):
            raise ValueError("a value of an entry has another type")
        mark = None if value["mark"] is None else (value["mark"][0], value["mark"][1])
        shown = (tuple((str(path), str(digest)) for path, digest in files) for files in value["shown"])
        return cls(
            value["folder"],
            value["repository"],
            value["subfolder"],
            value["inode"],
            mark,
            value["since"],
            tuple(filter(None, shown)),
        )


class TrustStore(PrivateList[TrustedFolder]):
    """The list of trusted folders."""

    key, version = "folders", 2
    name, effect = "the list of trusted folders", "no folder is trusted"
    remedy = "Delete it, and run `aur trust` in your projects again."
    write_remedy = "Give yourself write permission for its folder, or set AURORA_TRUST=1 for this shell."
    parse_entry = staticmethod(TrustedFolder.from_json)

    def format_entry(self, entry: TrustedFolder) -> dict[str, Any]:
        """Return the JSON object of an entry."""
        return entry.to_json()

    def find(self, place: ProjectPlace) -> tuple[TrustedFolder, ...]:
        """Return the entries that cover the place: a repository has one for each worktree that was trusted.

        Raises:
            Fault: as `read`.
        """
        return tuple(entry for entry in self.read() if entry.covers(place))

    def add(self, entry: TrustedFolder, place: ProjectPlace) -> None:
        """Add an entry, in place of an earlier one of the same path; keep what the same folder has shown.

        Args:
            entry: the entry.
            place: the folder that the person looked at.

        Raises:
            Fault: the list cannot be read or written; it is unchanged.
        """

        def replace_earlier(entries: tuple[TrustedFolder, ...]) -> tuple[TrustedFolder, ...]:
            new = entry
            for earlier in (one for one in entries if one.root == entry.root):
                if earlier.covers(place):  # nothing of another folder at its path
                    new = replace(new, shown=merge_shown(earlier.shown, new.shown))
            return (*(one for one in entries if one.root != entry.root), new)

        self.change(replace_earlier)

    def remove(self, is_removed: Callable[[TrustedFolder], bool]) -> tuple[TrustedFolder, ...]:
        """Remove entries, and return them.

        Raises:
            Fault: the list cannot be read or written; it is unchanged.
        """
        removed: list[TrustedFolder] = []

        def keep_others(entries: tuple[TrustedFolder, ...]) -> tuple[TrustedFolder, ...]:
            removed.extend(entry for entry in entries if is_removed(entry))
            return tuple(entry for entry in entries if not is_removed(entry))

        self.change(keep_others)
        return tuple(removed)


def merge_shown(earlier: Iterable[FileHashes], later: Iterable[FileHashes]) -> tuple[FileHashes, ...]:
    """Add definitions to those that were shown before, the newest last; leave out the oldest versions."""
    merged = dict.fromkeys(earlier)
    for files in later:
        merged.pop(files, None)
        merged[files] = None
    kept: list[FileHashes] = []
    counts: dict[str, int] = {}
    for files in reversed(merged):
        path = files[0][0]
        counts[path] = counts.get(path, 0) + 1
        if counts[path] <= MAX_VERSIONS:
            kept.append(files)
    return tuple(reversed(kept[:MAX_DEFINITIONS]))
