"""Updater of all mirrors of a server: before it listens, and then from time to time."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from aurora.errors import Code, Fault
from aurora.system.environment import read_value
from aurora.system.git.mirror import Mirror

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .settings import ProjectSettings, ServeSettings

MIRROR_FOLDER = "mirrors"


def place_mirrors(settings: ServeSettings, state_folder: Path) -> ServeSettings:
    """Give each project with an address its folder below the state folder."""
    projects = {
        name: one.model_copy(update={"folder": str(state_folder / MIRROR_FOLDER / name)}) if one.git else one
        for name, one in settings.projects.items()
    }
    return settings.model_copy(update={"projects": projects})


class Updater:
    """Updater of the projects that have an address; the others stay as they are.

    Args:
        projects: the placed settings by name.
        seconds: between two fetches of a project.
    """

    def __init__(self, projects: Mapping[str, ProjectSettings], seconds: float) -> None:
        self._projects = {name: one for name, one in projects.items() if one.git}
        self._mirrors = {name: Mirror(Path(one.folder), one.git, one.branch) for name, one in self._projects.items()}
        self._seconds = seconds
        self._indexed: dict[str, str] = {}
        self._said: dict[str, str] = {}
        self._stopped = threading.Event()
        self._indexer = Indexer(projects)

    @contextlib.contextmanager
    def run(self) -> Iterator[None]:
        """Fetch and index each project, then again from time to time in a thread, until the end of the block.

        Raises:
            Fault: a project cannot be fetched, and there is no former state of it.
        """
        with exit_on_sigterm():
            for name, mirror in self._mirrors.items():
                # A project that was fetched before is served in its last state, and only one that never was stops the
                # server.
                self._update(name, mirror, is_needed=not mirror.read_commit())
        thread = threading.Thread(target=self._repeat, name="mirrors", daemon=True)
        if self._mirrors:
            thread.start()
        try:
            yield
        finally:
            self._stop()
            if self._mirrors:
                thread.join()

    def _repeat(self) -> None:
        while not self._stopped.wait(self._seconds):
            for name, mirror in self._mirrors.items():
                if not self._stopped.is_set():
                    self._update(name, mirror)

    def _stop(self) -> None:
        self._stopped.set()
        for mirror in self._mirrors.values():
            mirror.stop()
        self._indexer.stop()

    def _update(self, name: str, mirror: Mirror, *, is_needed: bool = False) -> None:
        """Fetch a project, and index it when its commit is another one; report each change of its state once."""
        try:
            commit = mirror.update()
        except Fault as fault:
            if is_needed:
                message = f'the project "{name}" cannot be fetched: {fault.message}'
                raise Fault(fault.code, message, help=fault.help) from None
            if not self._stopped.is_set():
                self._report(name, f"{fault.message}; the state before is served")
            return
        if self._indexed.get(name) != commit:
            self._report(name, f"at commit {commit[:12]}")
            if self._index(name, mirror):
                self._indexed[name] = commit

    def _index(self, name: str, mirror: Mirror) -> bool:
        """Index a project; return whether that succeeded."""
        try:
            self._indexer.index(name, mirror.folder)
        except Fault as fault:
            if fault.code is Code.TIMEOUT:
                self._report(name, fault.message)
            return False
        return True

    def _report(self, name: str, text: str) -> None:
        if self._said.get(name) != text:
            self._said[name] = text
            sys.stderr.write(f"aur: project {name}: {text}\n")
            sys.stderr.flush()


@contextlib.contextmanager
def exit_on_sigterm() -> Iterator[None]:
    """Let SIGTERM raise SystemExit within this block, so that each `finally` runs, as SIGINT does."""

    def leave(*_given: object) -> None:
        sys.exit(0)  # as a stop of a server that listens

    before = signal.signal(signal.SIGTERM, leave)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


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
                # What is indexed so far is stored.
                process.terminate()

    def _start(self, name: str, folder: Path) -> subprocess.Popen[bytes]:
        # One database server has the memories of all projects, told apart by this name.
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
