"""Stores of this process that have the same file open.

SQLite has one map of the log's index for all connections of a process. A connection that opens it read-only decides for
those after it: none can write until it is closed. So a writer lets the idle read-only connections close, and those that
are opened later share its map.
"""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING, Protocol
from weakref import WeakSet

if TYPE_CHECKING:
    from pathlib import Path


class _Store(Protocol):
    """The part of a store that is needed here."""

    path: Path

    @property
    def reads_only(self) -> bool:
        """True when it opens the index read-only."""
        ...

    def drop_connections(self) -> None:
        """Close the idle connections, and those in use when they come back."""
        ...


_lock = threading.Lock()
_stores: dict[str, WeakSet[_Store]] = {}
_written: set[str] = set()
"""Files that this process writes: its read-only connections may share the map of a writer."""


def register_store(store: _Store) -> None:
    """Add a store; it leaves when nothing refers to it."""
    with _lock:
        _stores.setdefault(_get_key(store.path), WeakSet()).add(store)


def is_written_here(path: Path) -> bool:
    """Return whether a writer of this process has claimed the index of the file."""
    return _get_key(path) in _written


def claim_index(path: Path) -> bool:
    """Let all read-only stores of the file open it again; return whether there are any."""
    key = _get_key(path)
    with _lock:
        readers = [store for store in _stores.get(key, ()) if store.reads_only]
        if readers:
            _written.add(key)
    for store in readers:
        store.drop_connections()
    return bool(readers)


def _get_key(path: Path) -> str:
    return os.path.realpath(path)
