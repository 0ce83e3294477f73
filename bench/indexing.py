"""Speed of indexing against parsing alone on the same cores.

Further rows: the time of embedding, indexing without a change, and indexing one saved file.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from corpus import index, sources
from rows import Row, emit, median

from aurora.memory import Memory

HERE = Path(__file__).resolve().parent
FILES = int(sys.argv[1]) if len(sys.argv) > 1 else 1500
SHARE, AGAIN, EDIT = 0.6, 1.0, 0.2
UNCHANGED = 5000
EDITS = 7
TURNS = 3
"""Measurements of parsing alone before indexing, and again after it.

Another load meanwhile shows in their median; one fast or slow run does not.
"""


def main() -> None:
    """Measure on Python files only, so that both sides read the same."""
    with tempfile.TemporaryDirectory(prefix="aurora-bench-") as folder:
        project = Path(folder) / "project"
        _copy(project, FILES)
        alone = [_parsed(project) for _ in range(TURNS)]
        whole = index(project)
        alone += [_parsed(project) for _ in range(TURNS)]
        words = whole["seconds"] - whole["embedding_seconds"]
        speed, least = whole["bytes"] / words / 1e6, median(alone)
        rows = [
            Row(
                f"indexing words and graph, {whole['chunks']:,} chunks",
                f"{speed:.2f} MB/s",
                f"parsing alone, as many processes: {least:.2f} MB/s ({min(alone):.2f} to {max(alone):.2f})",
                speed / least,
                f">= {SHARE:.0%}",
                speed / least >= SHARE,
            ),
            Row(
                f"embedding {whole['embedded']:,} chunks",
                f"{whole['embedding_seconds']:.1f} s",
                f"words and graph: {words:.1f} s",
                whole["embedding_seconds"] / words,
            ),
            _edited(project),
        ]
    with tempfile.TemporaryDirectory(prefix="aurora-bench-") as folder:
        rows.append(_again(Path(folder) / "project"))
    emit(rows)


def _copy(project: Path, files: int) -> None:
    (project / ".git").mkdir(parents=True)
    for path, place in [pair for pair in sources() if pair[0].suffix == ".py"][:files]:
        (project / place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, project / place)


def _parsed(project: Path) -> float:
    """Measure the speed of parsing alone on all cores, in megabytes per second.

    Each core parses an equal share of the bytes.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    command = [sys.executable, str(HERE / "parse_alone.py"), str(project)]
    running = [
        subprocess.Popen([*command, str(share), str(cores)], stdout=subprocess.PIPE, text=True)
        for share in range(cores)
    ]
    done = [json.loads(process.communicate()[0]) for process in running]
    return float(sum(each["bytes"] for each in done) / max(each["seconds"] for each in done) / 1e6)


def _edited(project: Path) -> Row:
    """Measure the time from saving a file to finding it, in a running process."""
    file = min(project.rglob("*.py"), key=lambda path: abs(path.stat().st_size - 15_000))  # a file of usual size
    times = []
    with Memory.open(project / ".aurora" / "memory.db") as memory:
        memory.warm_up()
        for turn in range(EDITS):
            with file.open("a", encoding="utf-8") as end:
                end.write(f"\n\ndef zanzibar_{turn}():\n    return {turn}\n")
            began = time.perf_counter()
            memory.index(project, paths=[file])
            hits = memory.search(f"zanzibar_{turn}").hits
            times.append(time.perf_counter() - began)
            if not hits or hits[0].chunk.path != file.relative_to(project).as_posix():
                sys.exit("the edit was not found")
    taken = median(times)
    bare = _read(file)
    return Row(
        "one file saved, indexed and found",
        f"{taken * 1000:.0f} ms",
        f"reading it: {bare * 1000:.3f} ms",
        taken / bare,
        f"< {EDIT * 1000:.0f} ms",
        taken < EDIT,
    )


def _read(file: Path) -> float:
    began = time.perf_counter()
    file.read_bytes()
    return time.perf_counter() - began


def _again(project: Path) -> Row:
    """Measure indexing of an unchanged project.

    Its files are small, because their number determines the time.
    """
    (project / ".git").mkdir(parents=True)
    for number in range(UNCHANGED):
        file = project / f"of{number % 100}" / f"file{number}.py"
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"def function_{number}():\n    return {number}\n", encoding="utf-8")
    index(project)
    again = index(project)
    began = time.perf_counter()
    stats = sum(1 for folder, _, files in os.walk(project) for file in files if Path(folder, file).stat())
    bare = time.perf_counter() - began
    return Row(
        f"indexing again, {again['unchanged']:,} files unchanged",
        f"{again['seconds']:.2f} s",
        f"asking {stats:,} files for their size: {bare:.2f} s",
        again["seconds"] / bare,
        f"< {AGAIN:.0f} s",
        again["seconds"] < AGAIN,
    )


if __name__ == "__main__":
    main()
