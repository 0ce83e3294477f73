"""Index of a work tree: the names of the files that git tracks, mostly read without starting git."""

from __future__ import annotations

import os
from bisect import bisect_left
from functools import lru_cache
from struct import Struct, error
from typing import TYPE_CHECKING

from aurora.errors import Fault
from aurora.system.paths.read import read_plain

from .repository import find_repository, read_settings

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from pathlib import Path

    from .repository import Repository

_MAX_BYTES = 100_000_000
"""Most bytes of an index; that of Linux, with 90,000 files, has 10 MB. A larger one is not read."""
_HEADER, _FLAGS, _MODE = Struct(">4sII"), Struct(">H"), Struct(">I")
_PLAIN_VERSIONS = frozenset({b"\0\0\0\2", b"\0\0\0\3"})
"""Versions with whole names; in version 4, a name begins with that of the entry before it."""
_SPLIT = b"link\0\0"
"""Start of the part of an index that names another file with the rest; a name may end like it, too."""
_STAT_BYTES, _MODE_OFFSET = 40, 24
_EXTENDED = 0x4000
_FOLDER_MODE = 0o040000


class TrackedFiles:
    """Names of the files that git tracks in a work tree; a submodule is one name."""

    def __init__(self, names: list[bytes]) -> None:
        self._names = names

    def has_file(self, path: str) -> bool:
        """Return whether git tracks this file or submodule, by its path from the top."""
        return self._starts_at(os.fsencode(path), exact=True)

    def has_any(self, folder: str) -> bool:
        """Return whether git tracks a file in this folder, or the folder as a submodule."""
        name = os.fsencode(folder)
        return self._starts_at(name, exact=True) or self._starts_at(name + b"/", exact=False)

    def list_in_any_case(self, paths: Collection[str]) -> frozenset[str]:
        """List those of these paths that git tracks on a disk to which letter case says nothing."""
        folded = {name.lower() for name in self._names}
        return frozenset(path for path in paths if os.fsencode(path).lower() in folded)

    def _starts_at(self, name: bytes, *, exact: bool) -> bool:
        at = bisect_left(self._names, name)
        found = self._names[at] if at < len(self._names) else None
        return found is not None and (found == name if exact else found.startswith(name))


class _AllTracked(TrackedFiles):
    """Names of a commit's files in a folder without git."""

    def has_file(self, path: str) -> bool:
        """Return True."""
        return bool(path)

    def has_any(self, folder: str) -> bool:
        """Return True."""
        return bool(folder)


NOTHING_TRACKED, ALL_TRACKED = TrackedFiles([]), _AllTracked([])


def read_tracked(repository: Repository) -> TrackedFiles:
    """Read the names in the index of a work tree; none when it is missing, broken or too large.

    The names are only compared with those on the disk, so that a hostile index leads nowhere.
    """
    try:
        found = (repository.folder / "index").lstat()
    except OSError:
        return NOTHING_TRACKED
    state = (found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino)
    return _read_cached(repository, state)


def list_tracked(folder: Path, names: Collection[str]) -> frozenset[str]:
    """List those of a folder's files that git tracks: a commit that is checked out may replace them.

    Letter case does not count, since it does not on some disks.
    """
    folder = folder.resolve()
    try:
        repository = find_repository(folder) if names else None
    except Fault:
        return frozenset()
    if repository is None:
        return frozenset()
    paths = {(folder / name).relative_to(repository.top).as_posix(): name for name in names}
    if not _may_name(repository.folder / "index", names):
        return frozenset()
    return frozenset(paths[path] for path in read_tracked(repository).list_in_any_case(paths))


def _may_name(path: Path, names: Collection[str]) -> bool:
    """Return False for a plain index without these names: each command asks, and to parse takes longer."""
    data = _read_index(path)
    folded = data.lower()
    return bool(data and not _is_plain(data)) or any(os.fsencode(name).lower() in folded for name in names)


@lru_cache(maxsize=16)
def _read_cached(repository: Repository, _state: tuple[int, ...]) -> TrackedFiles:
    # `_state` is only the key of the cache. A file in conflict is in the index up to three times.
    return TrackedFiles(sorted(set(_read_names(repository))))


def _read_names(repository: Repository) -> list[bytes]:
    data = _read_index(repository.folder / "index")
    if data and not _is_plain(data):
        return _list_by_git(repository)
    settings = dict(read_settings(repository.common / "config"))
    hash_bytes = 32 if settings.get("extensions.objectformat", "").lower() == "sha256" else 20
    try:
        return list(_iter_names(data, hash_bytes))
    except (error, ValueError):  # it ends too early
        return []


def _read_index(path: Path) -> bytes:
    data = read_plain(path, _MAX_BYTES + 1) or b""
    return b"" if len(data) > _MAX_BYTES else data


# A reader of versions 2 and 3 is 20 lines, and no process is started for a listing. Version 4 and split indexes, which
# a person must turn on, need twice the code and a parser of compressed bitmaps.
def _is_plain(data: bytes) -> bool:
    """Return True for an index of whole names in one file; git reads the others, which are rare."""
    return data[4:8] in _PLAIN_VERSIONS and _SPLIT not in data


def _list_by_git(repository: Repository) -> list[bytes]:
    from .session import open_session  # noqa: PLC0415 - most indexes are plain

    try:
        with open_session(repository, compares=True) as git:
            listed = git.run("ls-files", "--full-name", "-z", "--", ":(top)", limit=_MAX_BYTES)
    except Fault:
        return []
    return (listed or b"").split(b"\0")[:-1]


def _iter_names(data: bytes, hash_bytes: int) -> Iterator[bytes]:
    """Yield the names of an index of version 2 or 3.

    Raises:
        ValueError: for another file.
        struct.error: when it ends too early.
    """
    signature, _, count = _HEADER.unpack_from(data)
    if signature != b"DIRC":
        raise ValueError("no index")
    at = _HEADER.size
    for _ in range(count):
        flags = at + _STAT_BYTES + hash_bytes
        start = flags + (4 if _FLAGS.unpack_from(data, flags)[0] & _EXTENDED else 2)
        end = data.index(0, start)
        if _MODE.unpack_from(data, at + _MODE_OFFSET)[0] != _FOLDER_MODE:  # of a sparse index: nothing is checked out
            yield data[start:end]
        # One to eight NULs follow a name, up to a multiple of eight.
        at += (end - at + 8) & ~7
