"""Index of a work tree: the names of the files that git tracks, read without starting git."""

from __future__ import annotations

import os
from bisect import bisect_left
from functools import lru_cache
from struct import Struct, error
from typing import TYPE_CHECKING, NamedTuple

from aurora.faults.paths.read import read_plain

from .config import read_settings

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from .repository import Repository

_MAX_BYTES = 100_000_000
"""Most bytes of an index, and of its names; that of Linux, with 90,000 files, has 10 MB.

A larger one is not read. The names have a limit of their own, since version 4 writes only how each differs from the one
before, so that a small index can stand for any amount.
"""
_HEADER, _FLAGS, _MODE, _PAIR, _WORD = Struct(">4sII"), Struct(">H"), Struct(">I"), Struct(">II"), Struct(">Q")
_VERSIONS = range(2, 5)
_COMPRESSED_VERSION = 4
_STAT_BYTES, _MODE_OFFSET = 40, 24
_EXTENDED = 0x4000
_FOLDER_MODE = 0o040000
_WORD_BITS, _RUN_BITS = 64, 32


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
    return _read_cached(repository.folder, repository.common, state)


@lru_cache(maxsize=16)
def _read_cached(folder: Path, common: Path, _state: tuple[int, ...]) -> TrackedFiles:
    settings = dict(read_settings(common / "config"))
    hash_bytes = 32 if settings.get("extensions.objectformat", "").lower() == "sha256" else 20
    try:
        return TrackedFiles(sorted(set(_read_names(folder, hash_bytes))))
    except (error, ValueError, IndexError):  # it ends too early
        return NOTHING_TRACKED


class _Entries(NamedTuple):
    """Entries of an index file: their names, in order, and where the extensions begin."""

    names: list[bytes]
    end: int


def _read_names(folder: Path, hash_bytes: int) -> Iterator[bytes]:
    """Yield the names of an index, with those of the shared index that a split one refers to."""
    data = _read_index(folder / "index")
    own = _parse_entries(data, hash_bytes)
    yield from filter(None, own.names)  # an entry that replaces a shared one has no name
    link = _find_extension(data, own.end, b"link")
    if link is None or not any(link[:hash_bytes]):
        return
    shared = _parse_entries(_read_index(folder / f"sharedindex.{link[:hash_bytes].hex()}"), hash_bytes).names
    deleted = _parse_bitmap(link[hash_bytes:], len(shared)) if len(link) > hash_bytes else frozenset()
    yield from (name for number, name in enumerate(shared) if number not in deleted)


def _read_index(path: Path) -> bytes:
    data = read_plain(path, _MAX_BYTES + 1) or b""
    return b"" if len(data) > _MAX_BYTES else data


def _parse_entries(data: bytes, hash_bytes: int) -> _Entries:
    """Parse the entries of an index file of version 2, 3 or 4.

    Raises:
        ValueError: for another file, and for names of more than `_MAX_BYTES` together.
        struct.error: when it ends too early.
    """
    signature, version, count = _HEADER.unpack_from(data)
    if signature != b"DIRC" or version not in _VERSIONS:
        raise ValueError("no index")
    names: list[bytes] = []
    name, at, left = b"", _HEADER.size, _MAX_BYTES
    for _ in range(count):
        flags = at + _STAT_BYTES + hash_bytes
        start = flags + (4 if _FLAGS.unpack_from(data, flags)[0] & _EXTENDED else 2)
        mode = _MODE.unpack_from(data, at + _MODE_OFFSET)[0]
        if version == _COMPRESSED_VERSION:
            cut, start = _parse_number(data, start)
            end = data.index(0, start)
            name = name[: max(0, len(name) - cut)] + data[start:end]
            at = end + 1
        else:
            end = data.index(0, start)
            name = data[start:end]
            at += (end - at + 8) & ~7
        left -= len(name)
        if left < 0:
            raise ValueError("too many names")
        if mode != _FOLDER_MODE:  # of a sparse index: nothing in it is checked out
            names.append(name)
    return _Entries(names, at)


def _parse_number(data: bytes, at: int) -> tuple[int, int]:
    """Parse a number of variable length; return it with the position after it."""
    value = data[at] & 0x7F
    while data[at] & 0x80:
        at += 1
        value = ((value + 1) << 7) | (data[at] & 0x7F)
        if value > _MAX_BYTES:
            raise ValueError("no length")
    return value, at + 1


def _find_extension(data: bytes, at: int, wanted: bytes) -> bytes | None:
    while at + 8 <= len(data):
        size = _MODE.unpack_from(data, at + 4)[0]
        if data[at : at + 4] == wanted:
            return data[at + 8 : at + 8 + size]
        at += 8 + size
    return None


def _parse_bitmap(data: bytes, limit: int) -> frozenset[int]:
    """Parse a compressed bitmap (EWAH): the numbers below the limit whose bit is set."""
    found: set[int] = set()
    _, count = _PAIR.unpack_from(data)
    words = iter([_WORD.unpack_from(data, _PAIR.size + _WORD.size * number)[0] for number in range(count)])
    position = 0
    for marker in words:
        run = _WORD_BITS * (marker >> 1 & ((1 << _RUN_BITS) - 1))
        if marker & 1:
            found.update(range(min(position, limit), min(position + run, limit)))
        position += run
        for _ in range(marker >> (_RUN_BITS + 1)):
            word = next(words, 0)
            if position >= limit:
                return frozenset(found)
            found.update(position + bit for bit in range(_WORD_BITS) if word >> bit & 1)
            position += _WORD_BITS
    return frozenset(found)
