"""Indexer of projects: the command `aur mem index` in processes of their own, which a stop ends."""

from __future__ import annotations

import os
import subprocess
import sys
from threading import Lock
from typing import TYPE_CHECKING

from aurora.faults import Code, Fault, read_value

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from aurora.serve.settings import ProjectSettings

INDEX_SECONDS = 3600.0


class Indexer:
    """Indexer of projects; safe for use from several threads.

    Args:
        projects: the settings by name.
    """

    def __init__(self, projects: Mapping[str, ProjectSettings]) -> None:
        self._projects = projects
        self._lock = Lock()
        self._running: set[subprocess.Popen[bytes]] = set()
        self._is_stopped = False

    def index(self, name: str, folder: Path) -> None:
        """Index a folder of a project; what a stopped indexing has done so far is stored.

        Raises:
            Fault: UPSTREAM_ERROR when it fails, whose reason is on standard error, or the server stops; TIMEOUT.
        """
        process = self._start(name, folder)
        try:
            code = process.wait(INDEX_SECONDS)
        except subprocess.TimeoutExpired:
            raise Fault(Code.TIMEOUT, f"indexing took longer than {INDEX_SECONDS:.0f} s") from None
        finally:
            process.kill()
            process.wait()
            with self._lock:
                self._running.discard(process)
        if code != 0:
            raise Fault(Code.UPSTREAM_ERROR, "the files could not be indexed", help="The log of the server says why.")

    def stop(self) -> None:
        """End what runs, and let nothing else begin."""
        with self._lock:
            self._is_stopped = True
            for process in self._running:
                process.terminate()

    def _start(self, name: str, folder: Path) -> subprocess.Popen[bytes]:
        own = {"AURORA_PROJECT": self._projects[name].database_project or name} if read_value("AURORA_DATABASE") else {}
        command = [sys.executable, "-P", "-m", "aurora", "mem", "index", "--project", str(folder), "--json"]
        with self._lock:
            if self._is_stopped:
                raise Fault(Code.UPSTREAM_ERROR, "the server is stopping", help="Try again in a few seconds.")
            process = subprocess.Popen(  # noqa: S603 - this interpreter with Aurora's own module
                command, env={**os.environ, **own}, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL
            )
            self._running.add(process)
            return process
