"""Background indexer of the server: indexes changes in the project after the first response."""

from __future__ import annotations

import logging
import os
import threading
from typing import TYPE_CHECKING

from aurora import memory
from aurora.memory import indexing

if TYPE_CHECKING:
    from aurora.tools.core import Project

WATCH_VARIABLE = "AURORA_WATCH"
_OFF_VALUES = {"0", "false", "no", "off"}
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
        if self._project.read_only or os.environ.get(WATCH_VARIABLE, "").strip().lower() in _OFF_VALUES:
            return
        threading.Thread(target=self._follow_changes, name="watch", daemon=True).start()

    def stop(self) -> None:
        """Stop within a second, or after the batch that is being written."""
        self._stop.set()

    def _follow_changes(self) -> None:
        while not self._stop.is_set():
            try:
                if self._is_indexed():
                    indexing.watch_project(self._project.memory, self._project.root, self._stop, lambda _: None)
            except Exception as error:  # noqa: BLE001 - an error in the watcher must not end the server
                self._log_once(f"{type(error).__name__}: {error}")
            self._stop.wait(_POLL_SECONDS)

    def _is_indexed(self) -> bool:
        return memory.database_path(self._project.root).exists() and self._project.memory.has_been_indexed()

    def _log_once(self, text: str) -> None:
        """Log an error of the watcher once."""
        if text != self._last_message and not self._stop.is_set():
            self._last_message = text
            _log.warning("changes of the project are not indexed: %s", text)
