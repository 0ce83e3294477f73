"""Watching a project: index its files soon after they change."""

from __future__ import annotations

import contextlib
import os
import stat
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import watchfiles

from aurora.errors import Code, Fault
from aurora.memory.files import EXCLUDED_FOLDERS, IGNORE_FILES, find_left_out
from aurora.system.git.repository import read_commit

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Sequence
    from threading import Event

    from aurora.memory.model.reports import IndexReport

_FINAL_CODES = frozenset({Code.FORBIDDEN, Code.NOT_FOUND, Code.CONFLICT})
"""Codes of faults that another try does not remove: no permission, a project that was moved or replaced."""

_RETRY_SECONDS = 1.0
"""Seconds until the next retry, when another process has the database locked."""


class Indexer(Protocol):
    """The part of a memory that following a tree needs."""

    def index(self, root: Path, *, paths: Sequence[Path] = ()) -> IndexReport:
        """Update the memory from the tree at `root`, or from these paths in it."""
        ...

    def has_path(self, place: str) -> bool:
        """Return whether the memory has this file, or one in this folder."""
        ...


@dataclass(frozen=True, slots=True)
class IndexUpdate:
    """The result of one update.

    Attributes:
        read: the number of new and changed files.
        gone: the number of deleted files.
        names: the changed paths; empty for an update of the whole tree.
        seconds: the duration.
        fault: the reason of a failed update, which is retried.
    """

    read: int
    gone: int
    names: tuple[str, ...]
    seconds: float
    fault: Fault | None = None


def watch_project(memory: Indexer, root: Path, stop: Event, report: Callable[[IndexUpdate], None]) -> None:
    """Index the tree, then each change in it, until `stop` is set.

    Several processes may watch one project: a change that one has indexed is unchanged for the others.

    Args:
        memory: open for writing.
        root: the project's folder, resolved.
        stop: ends the watch within a second.
        report: receives each update that changed the memory or failed; the first is of the whole tree.

    Raises:
        Fault: FORBIDDEN when the memory is not writable.
    """
    watcher = _Watcher(memory, root, stop, report)
    watcher.update_index(ChangedPaths(), is_first=True)
    for changed in watch_folder(root, stop):
        watcher.update_index(changed)


@dataclass(slots=True)
class _Watcher:
    """The arguments of `watch_project`, and the commit of the last update."""

    memory: Indexer
    root: Path
    stop: Event
    report: Callable[[IndexUpdate], None]
    commit: str = ""

    def update_index(self, changed: ChangedPaths, *, is_first: bool = False) -> None:
        """Index the changes; report a temporary fault, and retry with the whole tree."""
        while not self.stop.is_set():
            if not self.root.is_dir():
                return  # `watch_folder` waits for the folder; opening the memory would create an empty one
            update = self._run_update(changed)
            if update.fault is None:
                if is_first or update.read or update.gone:
                    self.report(update)
                return
            if update.fault.code is Code.FORBIDDEN and is_first:
                raise update.fault
            self.report(update)
            if update.fault.code in _FINAL_CODES:
                return
            # The paths that failed, and those that changed while it waited, are found by comparing the whole tree.
            changed = ChangedPaths()
            self.stop.wait(_RETRY_SECONDS)

    def _run_update(self, changed: ChangedPaths) -> IndexUpdate:
        began = time.perf_counter()
        try:
            paths = [path for path in changed.paths if self._is_indexable(path)]
            # All of them are left out; without this, an empty list would mean the whole tree.
            if changed.paths and not paths:
                return IndexUpdate(0, 0, (), 0.0)
            commit = read_commit(self.root)
            if commit != self.commit:  # the whole tree, so that the memory stands at this commit
                paths = []
            done = self.memory.index(self.root, paths=paths)
            self.commit = commit
        except Fault as fault:
            return IndexUpdate(0, 0, (), time.perf_counter() - began, fault)
        names = tuple(path.relative_to(self.root).as_posix() for path in paths)
        return IndexUpdate(done.added + done.changed, done.removed, names, time.perf_counter() - began)

    def _is_indexable(self, path: Path) -> bool:
        """Return whether a path is a file or folder, or a deleted one in the memory.

        A link is not indexable, nor is a path behind one, nor what discovery leaves out: an assistant at work in its
        own working tree would start an indexing at each of its edits. Nor is the file that this process writes its
        reports into: each report would be a change.
        """
        mode = 0
        try:
            # No file behind a link is read, also when the link leads into the project.
            if path.parent.resolve() != path.parent:
                return False
            found = os.lstat(path)
            if _is_own_output(found):
                return False
            mode = found.st_mode
        except (OSError, RuntimeError, ValueError):
            pass
        place = path.relative_to(self.root).as_posix()
        is_present = stat.S_ISREG(mode) or stat.S_ISDIR(mode)
        return self.memory.has_path(place) or (is_present and find_left_out(self.root, place) is None)


def _is_own_output(found: os.stat_result) -> bool:
    """Return whether standard output or standard error leads to this file."""
    for handle in (1, 2):
        with contextlib.suppress(OSError):
            if os.path.samestat(os.fstat(handle), found):
                return True
    return False


MAX_PATHS = 200
"""The most paths of one event; for more (another branch, an installation) a scan of the tree is cheaper."""


_STEP_MS, _DEBOUNCE_MS = 40, 400
"""Milliseconds without a change that end an event, and its longest duration."""

_WAKE_MS = 500

_POLL_SECONDS = 3.0
"""Seconds between two scans when the system cannot report changes, or the folder is gone."""

_MAX_RESTARTS = 3
"""How often a watch begins again at once because the folder changed while it began."""


@dataclass(frozen=True, slots=True)
class ChangedPaths:
    """The paths to index.

    Attributes:
        paths: absolute; empty for the whole tree.
    """

    paths: tuple[Path, ...] = ()


def watch_folder(root: Path, stop: Event) -> Iterator[ChangedPaths]:
    """Watch a folder until `stop` is set.

    Yields:
        First the whole tree; then the changed paths after each change. When the system cannot watch so many folders,
        or the folder is gone: the whole tree, repeatedly, until watching works again.
    """
    restarts = 0
    while not stop.is_set():
        is_uncertain = False
        with contextlib.suppress(OSError):  # too many folders for this system, or the folder is gone
            is_uncertain = yield from _watch_events(root, stop)
        if is_uncertain and restarts < _MAX_RESTARTS:
            restarts += 1
            continue
        restarts = 0
        if stop.wait(_POLL_SECONDS):
            return
        yield ChangedPaths()


def _watch_events(root: Path, stop: Event) -> Generator[ChangedPaths, None, bool]:
    """Watch a folder until it is moved or deleted, or `stop` is set.

    Returns:
        Whether the folder changed while the watch began: if it was moved away and back, the watch follows nothing.
    """
    first = True
    batches = watchfiles.watch(
        root,
        # Anything ends the first batch: while searches write their uses, there is always an event, and never a timeout.
        watch_filter=lambda _, path: first or _is_relevant(root, path),
        debounce=_DEBOUNCE_MS,
        step=_STEP_MS,
        rust_timeout=_WAKE_MS,
        stop_event=stop,
        yield_on_timeout=True,
        raise_interrupt=True,
        ignore_permission_denied=True,
    )
    followed, changed_at = _read_identity(root), root.stat().st_ctime_ns
    for events in batches:
        if _read_identity(root) != followed:  # moved, deleted, or another folder of that name
            return False
        if first:  # changes before the watch began have no events
            if root.stat().st_ctime_ns != changed_at:
                return True
            first = False
            yield ChangedPaths()
            continue
        if events:
            yield _to_changed_paths({Path(path) for _, path in events})
    return False


def _read_identity(root: Path) -> tuple[int, int]:
    status = root.stat()
    return status.st_dev, status.st_ino


def _to_changed_paths(paths: set[Path]) -> ChangedPaths:
    # An ignore file concerns files that have not changed themselves.
    if len(paths) > MAX_PATHS or any(path.name in IGNORE_FILES for path in paths):
        return ChangedPaths()
    return ChangedPaths(tuple(sorted(paths)))


def _is_relevant(root: Path, path: str) -> bool:
    """Return whether a change may concern the memory: not a file that Aurora or git writes for itself."""
    try:
        inside = Path(path).relative_to(root).parts
    except ValueError:
        return False
    return bool(inside) and EXCLUDED_FOLDERS.isdisjoint(inside)
