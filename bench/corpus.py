"""Project of real code with a given number of chunks.

Its files are the standard library and the installed packages, copied and indexed.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

SUFFIXES = {".py", ".c", ".h", ".js", ".md", ".rst"}
LARGEST = 400_000
FIRST_WAVE = 40


def sources() -> list[tuple[Path, str]]:
    """List every source file of this Python and its packages.

    Each has its place in the copy; the order is mixed and always the same.
    """
    found: list[tuple[Path, str]] = []
    for name in ("stdlib", "purelib"):
        root = Path(sysconfig.get_path(name))
        for path in sorted(root.rglob("*")):
            inside = path.relative_to(root)
            if name == "stdlib" and inside.parts[0] == "site-packages":
                continue
            if path.suffix in SUFFIXES and path.is_file() and path.stat().st_size < LARGEST:
                found.append((path, f"{name}/{inside.as_posix()}"))
    random.Random(7).shuffle(found)  # noqa: S311 - for variety, not for secrecy
    return found


def grow(project: Path, chunks: int) -> dict[str, Any]:
    """Copy files into the project and index it until its memory holds at least so many chunks.

    When the files do not suffice they are copied again, into another folder.

    Returns:
        The last report of `aur mem index`.
    """
    (project / ".git").mkdir(parents=True, exist_ok=True)
    supply = _endless(sources())
    wave, copied = FIRST_WAVE, 0
    while True:
        for _ in range(wave):
            path, place = next(supply)
            target = project / place
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
        copied += wave
        report = index(project)
        if report["chunks"] >= chunks:
            return report
        per_file = max(report["chunks"] / copied, 1.0)
        # files differ much in size: the estimate of a small sample is trusted for a few times its own number only
        wave = max(10, min(round((chunks - report["chunks"]) / per_file * 0.9), copied * 3))


def index(project: Path, database: Path | None = None) -> dict[str, Any]:
    """`aur mem index` as a process of its own; its report."""
    environment = {**os.environ, "AURORA_DB": str(database) if database else ""}
    done = subprocess.run(
        [sys.executable, "-m", "aurora", "--project", str(project), "--json", "mem", "index"],
        env=environment,
        stdout=subprocess.PIPE,
        check=True,
    )
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def _endless(files: list[tuple[Path, str]]) -> Iterator[tuple[Path, str]]:
    turn = 0
    while True:
        for path, place in files:
            yield path, place if turn == 0 else f"again{turn}/{place}"
        turn += 1
