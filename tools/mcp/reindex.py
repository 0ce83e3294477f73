"""Background indexer of the server: indexes changes in the project after the first response."""

from __future__ import annotations

import contextlib
import logging
import threading
from typing import TYPE_CHECKING

from aurora import memory
from aurora.faults import Code, Fault, read_flag
from aurora.faults.git import read_commit
from aurora.memory import indexing

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from aurora.memory import IndexReport
    from aurora.tools.core import Project

_POLL_SECONDS = 5.0
"""Seconds between two checks whether the project has been indexed."""
_log = logging.getLogger("aurora.watch")


class BackgroundIndexer:
    """Indexer that watches the project in its own thread, until `stop`.

    It does nothing in read-only mode, with `AURORA_WATCH=0`, or before the project has been indexed once: a server that
    was only started leaves no trace.

    Args:
        project: the open project.
    """

    def __init__(self, project: Project) -> None:
        self._project = project
        self._stop = threading.Event()
        self._last_message = ""

    def start(self) -> None:
        """Start the thread, unless watching is off."""
        if self._project.read_only or read_flag("AURORA_WATCH") is False:
            return
        threading.Thread(target=self._follow_changes, name="watch", daemon=True).start()

    def stop(self) -> None:
        """Stop within a second, or after the batch that is being written."""
        self._stop.set()

    def _follow_changes(self) -> None:
        while not self._stop.is_set():
            try:
                if _has_index(self._project):
                    self._watch()
            except Exception as error:  # noqa: BLE001 - an error in the watcher must not end the server
                self._log_once(f"{type(error).__name__}: {error}")
            self._stop.wait(_POLL_SECONDS)

    def _watch(self) -> None:
        """Index the changes until the server stops or an error ends it; then answers no longer rely on it."""
        memory = _IndexedMemory(self._project)
        try:
            indexing.watch_project(memory, self._project.root, self._stop, _ignore_update)
        finally:
            _set_unfollowed(self._project)

    def _log_once(self, text: str) -> None:
        """Log an error of the watcher once."""
        if text != self._last_message and not self._stop.is_set():
            self._last_message = text
            _log.warning("changes of the project are not indexed: %s", text)


class _IndexedMemory:
    """Memory of a project that is not created again when a person deletes it while it is watched."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._commit = ""

    def index(self, root: Path, *, paths: Sequence[Path] = ()) -> IndexReport:
        """Index the changes.

        Raises:
            Fault: NOT_FOUND when the memory is no longer there, and the faults of indexing.
        """
        if not _has_index(self._project):
            raise Fault(
                Code.NOT_FOUND, f'the memory of "{root}" was deleted', help="run `aur mem index` to create it again"
            )
        _set_unfollowed(self._project)
        if not paths:
            self._commit = read_commit(root)
        report = self._project.memory.index(root, paths=paths)
        self._project.memory.freshness.set_followed(self._commit)
        return report

    def has_path(self, place: str) -> bool:
        """Return True when the memory has this file, or one in this folder."""
        return self._project.memory.has_path(place)


def _has_index(project: Project) -> bool:
    """Return True when the project, or another worktree of its repository, has a memory that was indexed."""
    return memory.has_memory(project.root) and project.memory.wants_index()


def _set_unfollowed(project: Project) -> None:
    """Record that changes may be missing from the index; do nothing for a memory that cannot be opened."""
    with contextlib.suppress(Fault):
        project.memory.freshness.set_unfollowed()


def _ignore_update(update: object) -> None:
    """Ignore a report of the watcher."""
