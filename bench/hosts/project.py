"""Project of a walk: the sources of Click, a change to review, and the files of `aur init` for every host."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .process import run_host

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .launches import Launch

MAX_SECONDS = 180
CHANGED_FILES = 8
CHANGE = "\n\ndef first_of(values):\n    return values[0]\n"
NOWHERE = "http://127.0.0.1:9"
"""Address where nothing listens: a proxy for every request that leaves this machine."""
_ENTRIES_IN_HOME = (".cline/data/settings/cline_mcp_settings.json", ".continue/config.yaml")
"""Files of `aur init` in the home, of hosts that read none of the project."""
_KEPT = ("LANG", "LC_ALL", "SSL_CERT_FILE", "TERM", "TMPDIR", "TZ")


def make_environment(home: Path, programs: Path) -> dict[str, str]:
    """Make the environment of a host that reaches nothing but loopback, and nothing of the person's.

    Args:
        home: its home folder.
        programs: the folder with the hosts' programs.
    """
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    path = os.pathsep.join([str(programs), str(Path(sys.executable).parent), os.environ["PATH"]])
    proxies = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), NOWHERE)
    loopback = dict.fromkeys(("NO_PROXY", "no_proxy"), "127.0.0.1,localhost")
    return {**kept, **proxies, **loopback, "HOME": str(home), "PATH": path, "NO_COLOR": "1"}


@dataclass(frozen=True, slots=True)
class Project:
    """A project that is restored before each walk, so that no walk sees what another has stored.

    Attributes:
        folder: of all files of the walks.
        programs: the folder with the hosts' programs.
    """

    folder: Path
    programs: Path

    @property
    def root(self) -> Path:
        """The project itself."""
        return self.folder / "click"

    @property
    def home(self) -> Path:
        """The home folder of the hosts."""
        return self.folder / "home"

    def create(self, hosts: Iterable[str], sources: Path | None = None) -> None:
        """Copy the sources, run `aur init`, commit everything, and change some files.

        Args:
            hosts: names of hosts.
            sources: a folder with another code base; None takes the installed Click.
        """
        self.home.mkdir(parents=True)
        origin = sources or Path(click.__file__).parent
        shutil.copytree(origin, self.root, ignore=shutil.ignore_patterns("__pycache__", ".git", ".aurora"))
        self.run("git", "init", "--quiet")
        self.run("aur", "init", "--yes", "--allow-tools", "--hosts", ",".join(hosts))
        self.run("git", "add", "--all")
        identity = ("-c", "user.name=bench", "-c", "user.email=bench@localhost")
        self.run("git", *identity, "commit", "--quiet", "--message", "Begin")
        for path in sorted(self.root.rglob("*.py"))[:CHANGED_FILES]:
            path.write_text(path.read_text(encoding="utf-8") + CHANGE, encoding="utf-8")
        self.run("aur", "mem", "index")
        shutil.copytree(self.root, self._original)
        shutil.copytree(self.home, self._original_home)

    def restore(self) -> None:
        """Restore the project and the home as `aur init` left them."""
        for folder in (self.root, self.home):
            shutil.rmtree(folder)
        shutil.copytree(self._original, self.root)
        shutil.copytree(self._original_home, self.home)

    def find_server(self) -> str:
        """Return the path of the real program `aur`."""
        return shutil.which("aur", path=self.environment["PATH"]) or "aur"

    def write_server(self, module: str, *words: str) -> str:
        """Write a program `aur` that runs a module of this folder, and return the PATH on which it comes first.

        The entries in the home name the program by its whole path; they name this one until the next walk.

        Args:
            module: the module's name.
            words: its first arguments; those of `aur` follow.
        """
        folder = self.folder / "server"
        folder.mkdir(exist_ok=True)
        begin = f"sys.path.insert(0, sys.argv.pop(1)); runpy.run_module({module!r}, None, '__main__')"
        program = [sys.executable, "-P", "-c", f"import runpy, sys; {begin}", str(Path(__file__).resolve().parents[1])]
        (folder / "aur").write_text(f'#!/bin/sh\nexec {shlex.join([*program, *words])} "$@"\n', encoding="utf-8")
        (folder / "aur").chmod(0o755)
        for name in _ENTRIES_IN_HOME:
            entry = self.home / name
            if entry.exists():
                text = entry.read_text("utf-8").replace(self.find_server(), str(folder / "aur"))
                entry.write_text(text, encoding="utf-8")
        return os.pathsep.join([str(folder), self.environment["PATH"]])

    def run_host(self, launch: Launch, seconds: float = MAX_SECONDS) -> str:
        """Run a host to its end and return its output; end it and all its children after so many seconds."""
        launch.write_files(self.home)
        environment = {**self.environment, **launch.environment}
        return run_host(launch.command, self.root, environment, seconds)[0]

    def read_last_run(self) -> dict[str, Any]:
        """Read the newest run from the journal; it is empty without one."""
        done = self._run("aur", "runs", "show", "last", "--json")
        found: dict[str, Any] = json.loads(done.stdout) if done.returncode == 0 else {}
        return found

    def trust(self) -> None:
        """Trust the project's own workflows, as the person would."""
        self.run("aur", "trust", "--yes")

    def count_steps(self, phase: str) -> int:
        """Count the steps of a phase in the journal, over all runs."""
        with closing(sqlite3.connect(self.root / ".aurora" / "memory.db")) as database:
            found: int = database.execute("SELECT count(*) FROM steps WHERE phase = ?", (phase,)).fetchone()[0]
        return found

    @property
    def _original(self) -> Path:
        return self.folder / "original"

    @property
    def _original_home(self) -> Path:
        return self.folder / "original-home"

    @property
    def environment(self) -> dict[str, str]:
        """The environment of the hosts and of `aur`."""
        return make_environment(self.home, self.programs)

    def _run(self, *command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command, cwd=self.root, env=self.environment, capture_output=True, text=True, timeout=300, check=False
        )

    def run(self, *command: str) -> str:
        """Run a command in the project and return its output; end the walks if it fails."""
        done = self._run(*command)
        if done.returncode:
            sys.exit(f"{' '.join(command)}: {done.stdout}{done.stderr}")
        return done.stdout
