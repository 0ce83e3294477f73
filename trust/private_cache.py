"""Cache of the user in the state folder: a few files that only this user can have written."""

from __future__ import annotations

import contextlib
import hashlib
import os
from typing import TYPE_CHECKING

from aurora.faults import ignore_changes, write_atomically

from .lock import PRIVATE_FILE
from .private_file import PrivateFileError, read_private_file

if TYPE_CHECKING:
    from pathlib import Path

MAX_ENTRIES = 20
"""Entries of a cache without another limit."""
MAX_ENTRY_BYTES = 8_000_000
_PRIVATE_FOLDER = 0o700
_SUFFIX = ".json"


class PrivateCache:
    """Cache of byte strings by key. What cannot be read or written is ignored: it is made again.

    Args:
        folder: the folder of the entries, which is created when the first one is written.
        most: the number of entries that are kept, the last written ones.
        keeps: False in a process that must not write: entries of others are read.
    """

    def __init__(self, folder: Path, most: int = MAX_ENTRIES, *, keeps: bool = True) -> None:
        self._folder = folder
        self._most = most
        self._keeps = keeps

    def read(self, key: str) -> bytes | None:
        """Return the entry of a key; None without a whole one that only this user can have written."""
        try:
            data = read_private_file(self._find_path(key), MAX_ENTRY_BYTES + _DIGEST_BYTES)
        except (OSError, PrivateFileError):
            return None
        digest, entry = data[:_DIGEST_BYTES], data[_DIGEST_BYTES:]
        return entry if digest == _hash(key, entry) else None

    def write(self, key: str, entry: bytes) -> None:
        """Keep an entry, instead of the oldest one when there are many; a call does not report it as a change."""
        if len(entry) > MAX_ENTRY_BYTES or not self._keeps:
            return
        with contextlib.suppress(OSError), ignore_changes():
            self._folder.mkdir(mode=_PRIVATE_FOLDER, parents=True, exist_ok=True)
            write_atomically(self._find_path(key), _hash(key, entry) + entry, PRIVATE_FILE)
            self._remove_oldest()

    def _find_path(self, key: str) -> Path:
        return self._folder / f"{hashlib.sha256(key.encode('utf-8', 'surrogatepass')).hexdigest()[:32]}{_SUFFIX}"

    def _remove_oldest(self) -> None:
        with os.scandir(self._folder) as entries:
            own = [(entry.stat().st_mtime_ns, entry.path) for entry in entries if entry.name.endswith(_SUFFIX)]
        for _, path in sorted(own, reverse=True)[self._most :]:
            with contextlib.suppress(OSError):  # another process deleted it first
                os.unlink(path)  # noqa: PTH108 - the path is a string already


_DIGEST_BYTES = hashlib.sha256().digest_size


def _hash(key: str, entry: bytes) -> bytes:
    """Hash an entry with its key, to detect a file that was cut, damaged or renamed."""
    return hashlib.sha256(key.encode("utf-8", "surrogatepass") + b"\0" + entry).digest()
