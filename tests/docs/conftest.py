"""Reads the documents as a reader would: their blocks, and a real package to try them in."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import click
import pytest

ROOT = Path(__file__).resolve().parents[2]
_FOREIGN = (
    *("AURORA_DB", "AURORA_LOG", "AURORA_TRUST", "COLUMNS", "FORCE_COLOR", "NO_COLOR", "READ_ONLY"),
    "XDG_STATE_HOME",
)
_FENCE = re.compile(r"^(?P<fence>`{3,})(?P<info>[^\n`]*)\n(?P<text>.*?)^(?P=fence)[ \t]*$", re.MULTILINE | re.DOTALL)

Shell: TypeAlias = Callable[[str], "subprocess.CompletedProcess[str]"]


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, the words after it (`save=PATH` has a value), its text, its line."""

    language: str
    words: Mapping[str, str]
    text: str
    line: int


@pytest.fixture
def blocks_of() -> Callable[[Path], list[Block]]:
    def read(document: Path) -> list[Block]:
        text = document.read_text(encoding="utf-8")
        found = []
        for match in _FENCE.finditer(text):
            language, *words = match["info"].split() or [""]
            pairs = dict(word.partition("=")[::2] for word in words)
            found.append(Block(language, pairs, match["text"], text.count("\n", 0, match.start()) + 1))
        return found

    return read


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """The sources of the installed click, in a folder that nothing else knows of."""
    root = tmp_path / "click"
    shutil.copytree(Path(click.__file__).parent, root, ignore=shutil.ignore_patterns("__pycache__"))
    (root / ".git").mkdir()
    return root


@pytest.fixture
def environment(tmp_path: Path, aur_program: str) -> dict[str, str]:
    """A clean environment with this checkout's `aur` and a bare `python3` first on PATH, and a home of its own.

    A `python3` with packages loads modules of the standard library before it looks into the current folder, so it does
    not find the `types.py` there, as the one without does.
    """
    programs = tmp_path / "programs"
    programs.mkdir()
    python = programs / "python3"
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" -S "$@"\n', encoding="utf-8")
    python.chmod(0o755)
    kept = {name: value for name, value in os.environ.items() if name not in _FOREIGN}
    folders = [programs, Path(aur_program).parent, Path(sys.executable).parent]
    path = os.pathsep.join([*map(str, folders), kept["PATH"]])
    home = tmp_path / "home"
    home.mkdir()
    return {**kept, "PATH": path, "HOME": str(home)}


@pytest.fixture
def shell(package: Path, environment: dict[str, str]) -> Shell:
    """Run a block as a reader's shell would, in the package, and stop at its first failure."""

    def run(script: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["bash", "-euo", "pipefail", "-c", script],
            cwd=package,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            timeout=120,
            check=False,
        )

    return run
