"""Stores of this process that have the same file open.

SQLite has one map of the log's index for all connections of a process. A connection that opens it read-only decides for
those after it: none can write until it is closed. So a writer lets the idle read-only connections close, and those that
are opened later share its map.
"""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING
from weakref import WeakSet

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@dataclass(eq=False, slots=True, weakref_slot=True)
class Sibling:
    """Store of a file, as the others of this process see it; its store keeps it.

    Attributes:
        path: the file.
        is_reader: returns True when the store opens the index read-only.
        drop_connections: closes the idle connections, and those in use when they come back.
    """

    path: Path
    is_reader: Callable[[], bool]
    drop_connections: Callable[[], None]


_lock = threading.Lock()
_siblings: dict[str, WeakSet[Sibling]] = {}
_written: set[str] = set()
"""Files that this process writes: its read-only connections may share the map of a writer."""


def register_sibling(sibling: Sibling) -> None:
    """Add a store; it leaves when nothing refers to it."""
    with _lock:
        _siblings.setdefault(_get_key(sibling.path), WeakSet()).add(sibling)


def is_written_here(path: Path) -> bool:
    """Return whether a writer of this process has claimed the index of the file."""
    return _get_key(path) in _written


def claim_index(path: Path) -> bool:
    """Let all read-only stores of the file open it again; return whether there are any."""
    key = _get_key(path)
    with _lock:
        readers = [sibling for sibling in _siblings.get(key, ()) if sibling.is_reader()]
        if readers:
            _written.add(key)
    for sibling in readers:
        sibling.drop_connections()
    return bool(readers)


def _get_key(path: Path) -> str:
    return os.path.realpath(path)
