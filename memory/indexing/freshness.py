"""Freshness of the index: the commit at which it stands, and the files that have changed since."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, NamedTuple

from aurora.faults.git import read_commit
from aurora.memory.files import discover_files, has_hash, read_source
from aurora.memory.model import SkippedFile

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from aurora.memory.files import SourceFile
    from aurora.memory.model import FileFingerprint
    from aurora.memory.storage import Store

_MAX_FILES = 20_000
"""Files up to which the tree is listed for an answer; 20,000 take half a second."""
_MAX_READ = 200
"""Files that are read to find out whether they differ and whether an indexing takes them; more count as changed."""
_SHORT_COMMIT = 10
"""Digits of a commit that are shown; unique in the largest repositories."""
_COST_SHARE = 0.05
"""Most of the time that a process spends on listing the tree: after a listing of 0.1 s, the next is 2 s later."""


class IndexFreshness(NamedTuple):
    """State of the index.

    Attributes:
        commit: the short hash of the commit at which it stands; empty without git.
        behind: number of files that were changed, added or deleted since; None when it is not known.
    """

    commit: str
    behind: int | None


class TreeDifference(NamedTuple):
    """Numbers of files that differ between the tree and the index."""

    changed: int
    new: int
    gone: int


class FreshnessMonitor:
    """Monitor of one memory's freshness; thread-safe.

    A listing of the tree is reused for a while, and none is needed while a watcher keeps the index up to date.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._is_followed = False
        self._behind: int | None = None
        self._next_count = 0.0

    def set_followed(self, *, is_followed: bool) -> None:
        """Record whether a watcher has indexed all changes so far and indexes each further one."""
        self._is_followed = is_followed
        self._next_count = 0.0

    def measure(self, root: Path) -> IndexFreshness:
        """Measure the freshness of the index of the tree at `root`.

        Raises:
            Fault: see `storage.Store`.
        """
        with self._store.begin_read() as db:
            meta = db.meta.get_all()
        if "indexed_at" not in meta:
            return IndexFreshness("", None)
        behind = 0 if self._is_followed else self._count_behind(root)
        commit = read_commit(root) if behind == 0 else meta.get("commit", "")
        return IndexFreshness(commit[:_SHORT_COMMIT], behind)

    def _count_behind(self, root: Path) -> int | None:
        with self._lock:
            began = time.monotonic()
            if began >= self._next_count:
                self._behind = self._compare(root)
                ended = time.monotonic()
                self._next_count = ended + (ended - began) / _COST_SHARE
            return self._behind

    def _compare(self, root: Path) -> int | None:
        with self._store.begin_read() as db:
            known = db.files.get_known()
        if len(known) > _MAX_FILES or not root.is_dir():
            return None
        return sum(compare_tree(root, known))


def compare_tree(root: Path, known: Mapping[str, FileFingerprint]) -> TreeDifference:
    """Compare the tree with the files of the index; a file with another time only is the same.

    Args:
        root: the project's folder.
        known: the files in the index, by path.
    """
    missing, changed, new = set(known), [], []
    for file in discover_files(root, ()):
        if isinstance(file, SkippedFile):
            continue
        missing.discard(file.path)
        if file.path not in known:
            new.append(file)
        elif known[file.path][:2] != (file.size, file.mtime_ns):
            changed.append(file)
    return TreeDifference(_count_different(changed, root, known), _count_wanted(new, root), len(missing))


def _count_different(files: list[SourceFile], root: Path, known: Mapping[str, FileFingerprint]) -> int:
    same_size = [file for file in files if file.size == known[file.path][0]]
    if len(same_size) > _MAX_READ:
        return len(files)
    return len(files) - sum(_has_content(file, root, known[file.path][2]) for file in same_size)


def _has_content(file: SourceFile, root: Path, digest: str) -> bool:
    try:
        return has_hash(root / file.path, digest)
    except OSError:
        return False


def _count_wanted(files: list[SourceFile], root: Path) -> int:
    """Count the files that an indexing takes; binary and generated files stay out."""
    if len(files) > _MAX_READ:
        return len(files)
    return sum(not isinstance(read_source(file, root), SkippedFile) for file in files)
