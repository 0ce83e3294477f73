"""A real project, and the real command run in it as a process of its own."""

from __future__ import annotations

import os
import pty
import select
import shutil
import subprocess
from pathlib import Path
from typing import Any, Protocol

import click
import pytest

SILENCE = 60
"""Seconds in which `aur` must show something at a terminal."""
# What a developer's own shell may hold and a test must not see.
_FOREIGN = ("AURORA_DB", "AURORA_LOG", "COLUMNS", "FORCE_COLOR", "NO_COLOR", "READ_ONLY")


class Aur(Protocol):
    """`aur` with these words."""

    def __call__(self, *words: str, cwd: Path | None = None, env: dict[str, str] | None = None, **more: Any) -> Any: ...


class Terminal(Protocol):
    """`aur` with these words at a terminal where somebody types `answer`: the exit code, and all that was shown."""

    def __call__(self, *words: str, answer: str = "", env: dict[str, str] | None = None) -> tuple[int, str]: ...


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A small repository of real code: a part of the installed click."""
    root = tmp_path / "project"
    (root / ".git").mkdir(parents=True)
    package = Path(click.__file__).parent
    (root / "click").mkdir()
    for name in ("exceptions.py", "types.py", "utils.py"):
        shutil.copy(package / name, root / "click" / name)
    (root / "README.md").write_text("# Clicking\n\nHow parameter types convert what was typed.\n", encoding="utf-8")
    return root


@pytest.fixture
def environment() -> dict[str, str]:
    """The environment without what would change the command's behaviour."""
    return {name: value for name, value in os.environ.items() if name not in _FOREIGN}


@pytest.fixture
def aur(project: Path, environment: dict[str, str], aur_program: str) -> Aur:
    """Run `aur` in the project."""

    def run(*words: str, cwd: Path | None = None, env: dict[str, str] | None = None, **more: Any) -> Any:
        return subprocess.run(
            [aur_program, *words],
            cwd=cwd or project,
            env={**environment, **(env or {})},
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=120,
            check=False,
            **{"stdin": subprocess.DEVNULL, **more} if "input" not in more else more,
        )

    return run


@pytest.fixture
def terminal(project: Path, environment: dict[str, str], aur_program: str) -> Terminal:
    """Run `aur` in the project with a real terminal as its input and output."""

    def run(*words: str, answer: str = "", env: dict[str, str] | None = None) -> tuple[int, str]:
        master, slave = pty.openpty()
        with subprocess.Popen(
            [aur_program, *words],
            cwd=project,
            env={**environment, **(env or {})},
            stdin=slave,
            stdout=slave,
            stderr=slave,
        ) as process:
            os.close(slave)
            os.write(master, answer.encode())
            shown = b"".join(iter(lambda: _read(master, process), b""))
        os.close(master)
        return process.returncode, shown.decode("utf-8", "replace")

    return run


def _read(master: int, process: subprocess.Popen[bytes]) -> bytes:
    """Return what `aur` shows next; kill it when it shows nothing for long, for it waits for one more answer."""
    if not select.select([master], [], [], SILENCE)[0]:
        process.kill()
    try:
        return os.read(master, 65536)
    except OSError:  # the last writer has closed its side
        return b""
