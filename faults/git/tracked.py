"""Files that git tracks, read from the index without starting git."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from aurora.faults.fault import Fault
from aurora.faults.paths.read import read_plain

from .repository import find_repository

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

    from .repository import Repository

_INDEX_BYTES = 200_000_000
"""Most bytes of the index; that of Linux, with 90,000 files, has 10 MB."""
_PLAIN_INDEXES = frozenset({b"\0\0\0\2", b"\0\0\0\3"})
"""Versions of the index with whole paths; in the others, a path begins with that of the entry before it."""
_SPLIT_INDEX = b"link\0\0\0"
"""Start of the part of an index that names another file with the rest; the middle of a name has no such bytes."""
_MOST_NAME_BYTES = 0xFFF


def list_tracked(folder: Path, names: Collection[str]) -> frozenset[str]:
    """List those of a folder's files that git tracks: a commit that is checked out may replace them.

    The index is read without starting git, unless its names are compressed or in two files. Letter case does not count,
    since it does not on some disks.
    """
    folder = folder.resolve()
    try:
        repository = find_repository(folder) if names else None
    except Fault:
        return frozenset()
    index = read_plain(repository.folder / "index", _INDEX_BYTES) if repository is not None else None
    if repository is None or not index:
        return frozenset()
    paths = {(folder / name).relative_to(repository.top).as_posix(): name for name in names}
    if index[4:8] in _PLAIN_INDEXES and _SPLIT_INDEX not in index:
        folded = index.lower()
        return frozenset(name for path, name in paths.items() if _has_entry(index, folded, os.fsencode(path).lower()))
    listed = {path.lower() for path in _list_by_git(repository, list(paths))}
    return frozenset(name for path, name in paths.items() if path.lower() in listed)


def _has_entry(index: bytes, folded: bytes, path: bytes) -> bool:
    """Check whether an index has an entry of this path.

    The length of the path stands two or four bytes before it.
    """
    at, size = folded.find(path + b"\0"), min(len(path), _MOST_NAME_BYTES)
    while at >= 0:
        fields = (int.from_bytes(index[at - back : at - back + 2], "big") for back in (2, 4))
        if any(field & _MOST_NAME_BYTES == size for field in fields):
            return True
        at = folded.find(path + b"\0", at + 1)
    return False


def _list_by_git(repository: Repository, paths: list[str]) -> list[str]:
    """Let git list those of these paths that it tracks; none without git."""
    from .session import open_session  # noqa: PLC0415 - most indexes are plain

    try:
        with open_session(repository, compares=True) as git:
            listed = git.run("ls-files", "--full-name", "-z", "--", *(f":(top,icase){path}" for path in paths))
    except Fault:
        return []
    return os.fsdecode(listed or b"").split("\0")
