"""Folders of the sessions: each gets its own copy of the sources, with or without Aurora."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

WITH, WITHOUT = "with", "without"
ARMS = (WITHOUT, WITH)
_IGNORED = shutil.ignore_patterns("__pycache__", ".git", ".aurora")


@dataclass(frozen=True, slots=True)
class Folders:
    """The two originals, and a copy for each session, so that no session sees what another has left.

    Attributes:
        root: of all folders.
        environment: of `git` and `aur`.
    """

    root: Path
    environment: Mapping[str, str]

    def create(self, sources: Path, host: str) -> None:
        """Copy the sources twice, and run `aur init` in one copy.

        Raises:
            RuntimeError: a command has failed, with its output.
        """
        for arm in ARMS:
            shutil.copytree(sources, self.root / arm, ignore=_IGNORED)
            self._check(arm, "git", "init", "--quiet")
        self._check(WITH, "aur", "init", "--yes", "--allow-tools", "--hosts", host)
        _trust_server(self.root / WITH / ".gemini" / "settings.json")

    def copy(self, arm: str, number: int) -> Path:
        """Copy the original of an arm for a session; its path does not tell the arm."""
        folder = self.root / f"session{number}" / "project"
        shutil.copytree(self.root / arm, folder, symlinks=True)
        return folder

    def _check(self, arm: str, *command: str) -> None:
        done = subprocess.run(
            command, cwd=self.root / arm, env=dict(self.environment), capture_output=True, text=True, check=False
        )
        if done.returncode:
            message = f"{' '.join(command)}: {done.stdout}{done.stderr}"
            raise RuntimeError(message)


def _trust_server(settings: Path) -> None:
    """Allow the tools in the settings of Gemini CLI, as `aur init` asks the person to do."""
    if settings.exists():
        document = json.loads(settings.read_text(encoding="utf-8"))
        document["mcpServers"]["aurora"]["trust"] = True
        settings.write_text(json.dumps(document), encoding="utf-8")


def compute_digest(sources: Path) -> str:
    """Compute a digest of the Python files, which tells results of different sources apart."""
    digest = hashlib.sha256()
    for path in sorted(sources.rglob("*.py")):
        digest.update(f"{path.relative_to(sources).as_posix()}\0".encode() + path.read_bytes() + b"\0")
    return digest.hexdigest()[:12]
