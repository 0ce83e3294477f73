"""Freshness of the index: the commit at which it stands, and the files that have changed since."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, NamedTuple

from aurora.memory.files import (
    UNKNOWN_LANGUAGE,
    detect_language,
    discover_files,
    has_hash,
    read_rules_key,
    read_source,
)
from aurora.memory.model.reports import SkippedFile
from aurora.system.git.repository import read_commit

from .left_out import hash_state, read_left_out

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from collections.abc import Set as AbstractSet
    from pathlib import Path

    from aurora.memory.files import SourceFile
    from aurora.memory.model.chunks import FileFingerprint
    from aurora.memory.storage.store import Store, Tables

_MAX_FILES = 20_000
"""Files up to which the tree is listed for an answer; 20,000 take half a second."""
_MAX_READ = 200
"""Files that are read to find out whether they differ, and whether an indexing takes them.

With more, all known ones count as changed, and of the new ones only those that were read are counted.
"""
_MAX_READ_BYTES = 4 << 20
"""Bytes up to which new files are read; the search for secrets takes 3 s a megabyte of a text that is made for it."""
_SHORT_COMMIT = 10
"""Digits of a commit that are shown; unique in the largest repositories."""
_COST_SHARE = 0.05
"""Most of the time that a process spends on listing the tree: after a listing of 0.1 s, the next is 2 s later."""


class IndexFreshness(NamedTuple):
    """State of the index.

    Attributes:
        commit: the short hash of the commit at which it stands; empty without git.
        behind: number of files that were changed, added or deleted since, or at least so many when there are too many
            new files to read; None when it is not known.
    """

    commit: str
    behind: int | None


class _Moment(NamedTuple):
    """Commit and index at one time; either differs after a switch, an indexing or a restored backup."""

    commit: str
    indexed_at: str
    state: str

    @classmethod
    def read(cls, meta: Mapping[str, str], commit: str) -> _Moment:
        """Read it from the metadata of the memory."""
        return cls(commit, meta.get("indexed_at", ""), meta.get("index_state", ""))


class TreeDifference(NamedTuple):
    """Numbers of files that differ between the tree and the index.

    Attributes:
        new: files that an indexing would add, or at least so many when there are too many to read; None when it takes
            none of those that were read.
    """

    changed: int
    new: int | None
    gone: int

    def count_known(self) -> int | None:
        """Count the files that are known to differ; None when there may be some, and none is known."""
        known = self.changed + self.gone + (self.new or 0)
        return known if known or self.new is not None else None


class FreshnessMonitor:
    """Monitor of one memory's freshness; thread-safe.

    A listing of the tree is reused for a while, and none is needed while a watcher keeps the index up to date.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock, self._count_lock = threading.Lock(), threading.Lock()
        self._followed: _Moment | None = None
        self._counted: _Moment | None = None
        self._behind: int | None = None
        self._next_count = 0.0

    def set_followed(self, commit: str) -> None:
        """Record that a watcher has indexed all changes so far, and indexes each further one.

        Args:
            commit: the commit that was checked out before it began to index the whole tree.

        Raises:
            Fault: see `storage.Store`.
        """
        followed = _Moment.read(self._read_meta(), commit)
        with self._lock:
            self._followed = followed

    def set_unfollowed(self) -> None:
        """Record that no watcher keeps the index up to date, or that changes wait for it."""
        with self._lock:
            self._followed = self._counted = None

    def measure(self, root: Path) -> IndexFreshness | None:
        """Measure the freshness of the index of the tree at `root`; None if it was never indexed.

        Raises:
            Fault: see `storage.Store`.
        """
        meta = self._read_meta()
        if "indexed_at" not in meta:
            return None
        now, followed = _Moment.read(meta, read_commit(root)), self._followed
        behind = 0 if now == followed else self._count_behind(root, now)
        if behind == 0 and followed is not None:
            self._move_followed(followed, now)
        commit = now.commit if behind == 0 else meta.get("commit", "")
        return IndexFreshness(commit[:_SHORT_COMMIT], behind)

    def _read_meta(self) -> dict[str, str]:
        with self._store.begin_read() as db:
            return db.meta.get_all()

    def _move_followed(self, before: _Moment, now: _Moment) -> None:
        """Record that a watched index is up to date at another commit, unless changes came in the meantime."""
        with self._lock:
            if self._followed is before:
                self._followed = now

    def _count_behind(self, root: Path, now: _Moment) -> int | None:
        with self._count_lock:
            began = time.monotonic()
            if began >= self._next_count or now != self._counted:
                self._behind = self._compare(root)
                ended = time.monotonic()
                self._counted, self._next_count = now, ended + (ended - began) / _COST_SHARE
            return self._behind

    def _compare(self, root: Path) -> int | None:
        with self._store.begin_read() as db:
            indexed = read_indexed_files(db, root)
        # Of a project that was moved away every file would count as deleted.
        if len(indexed.known) > _MAX_FILES or not root.is_dir():
            return None
        return compare_tree(root, indexed).count_known()


class IndexedFiles(NamedTuple):
    """Files that the last indexing has read.

    Attributes:
        known: the files in the index, by path.
        left_out: the states of the others, as `left_out.hash_state` returns them.
    """

    known: Mapping[str, FileFingerprint]
    left_out: AbstractSet[str]


def read_indexed_files(db: Tables, root: Path) -> IndexedFiles:
    """Read the files that the last indexing has read, in or out of the index.

    Args:
        db: the tables of a transaction.
        root: the project's folder, whose rules for secrets apply.
    """
    return IndexedFiles(db.files.get_known(), read_left_out(db, read_rules_key(root)))


def compare_tree(root: Path, indexed: IndexedFiles) -> TreeDifference:
    """Compare the tree with the files of the index; a file with another time only is the same.

    Args:
        root: the project's folder.
        indexed: the files that the last indexing has read.
    """
    known = indexed.known
    missing, changed, new = set(known), [], []
    for file in discover_files(root, ()):
        if isinstance(file, SkippedFile):
            continue
        missing.discard(file.path)
        if file.path not in known:
            if not indexed.left_out or hash_state(file) not in indexed.left_out:
                new.append(file)
        elif known[file.path][:2] != (file.size, file.mtime_ns):
            changed.append(file)
    return TreeDifference(_count_different(changed, root, known), _count_wanted(new, root), len(missing))


def _count_different(files: list[SourceFile], root: Path, known: Mapping[str, FileFingerprint]) -> int:
    # Another size is another content: only the others have to be read.
    same_size = [file for file in files if file.size == known[file.path][0]]
    if len(same_size) > _MAX_READ:
        return len(files)
    return len(files) - sum(_has_content(file, root, known[file.path][2]) for file in same_size)


def _has_content(file: SourceFile, root: Path, digest: str) -> bool:
    try:
        return has_hash(root / file.path, digest)
    except OSError:
        return False


def _count_wanted(files: Sequence[SourceFile], root: Path) -> int | None:
    """Count the files that an indexing takes; binary and generated files stay out.

    Returns:
        At least so many when there are too many to read; None when it takes none of those that were read.
    """
    read = _select_readable(files)
    wanted = sum(not isinstance(read_source(file, root), SkippedFile) for file in read)
    return wanted if wanted or len(read) == len(files) else None


def _select_readable(files: Sequence[SourceFile]) -> list[SourceFile]:
    """Select the files to read: first those in a known language, which an indexing most likely takes."""
    read: list[SourceFile] = []
    size = 0
    for file in sorted(files, key=lambda one: (detect_language(one.path) == UNKNOWN_LANGUAGE, one.size)):
        size += file.size
        if len(read) == _MAX_READ or size > _MAX_READ_BYTES:
            break
        read.append(file)
    return read
