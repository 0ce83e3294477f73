"""While the server serves, what changes in the project is indexed; nothing is begun before the first answer is out."""

from __future__ import annotations

import logging
import os
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aurora.tools.core import Project

WATCH_VARIABLE = "AURORA_WATCH"
_OFF_VALUES = {"0", "false", "no", "off"}
_POLL_SECONDS = 5.0
"""Seconds between two looks whether the project has been indexed at last."""
_log = logging.getLogger("aurora.watch")


class BackgroundIndexer:
    """Follows the project in a thread of its own, until `stop`.

    Nothing is followed in read-only mode, with `AURORA_WATCH=0`, or before somebody has indexed the project: a server
    that was only started leaves no trace.

    Args:
        project: the open project.
    """

    def __init__(self, project: Project) -> None:
        self._project = project
        self._stop = threading.Event()
        self._last_message = ""

    def start(self) -> None:
        """Begin, unless nothing shall be followed."""
        if self._project.read_only or os.environ.get(WATCH_VARIABLE, "").strip().lower() in _OFF_VALUES:
            return
        threading.Thread(target=self._follow_changes, name="watch", daemon=True).start()

    def stop(self) -> None:
        """End it, within a second or with the batch that is being written."""
        self._stop.set()

    def _follow_changes(self) -> None:
        from aurora.memory.indexing import watch_project  # noqa: PLC0415 - the start of the server must not pay for it

        while not self._stop.is_set():
            try:
                if self._is_indexed():
                    watch_project(self._project.memory, self._project.root, self._stop, lambda _: None)
            except Exception as error:  # noqa: BLE001 - a watcher that fails must not take the server with it
                self._log_once(f"{type(error).__name__}: {error}")
            self._stop.wait(_POLL_SECONDS)

    def _is_indexed(self) -> bool:
        from aurora.memory import database_path  # noqa: PLC0415 - as above

        return database_path(self._project.root).exists() and self._project.memory.has_been_indexed()

    def _log_once(self, text: str) -> None:
        """Say once what keeps the memory from following."""
        if text != self._last_message and not self._stop.is_set():
            self._last_message = text
            _log.warning("the memory does not follow the project: %s", text)
