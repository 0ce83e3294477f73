"""Killed at any moment, an indexing leaves a sound memory, and the next index completes it.

`AURORA_KILLS=100` takes the moments a person would want to see once; every run of the suite takes a few.
"""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import apsw
import pytest

from aurora.memory import Memory
from aurora.memory.maintenance.check import check_memory
from aurora.memory.records.export import export_records

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Protocol

    class RunForked(Protocol):
        def __call__(self, program: str, *arguments: Path, kill_after: float | None = None) -> tuple[int, float]: ...


KILLS = int(os.environ.get("AURORA_KILLS", "6"))

# Small batches, parsed by other processes: many transactions, and every part of an indexing in reach of a kill.
INDEX = """
import sys
from pathlib import Path
from aurora.memory import Memory
from aurora.memory.indexing import run, write
from aurora.memory.indexing.workers import jobs

jobs.MIN_PARALLEL_BYTES, write.MAX_BATCH_BYTES, run.BATCH_CHUNKS = 0, 15_000, 50
with Memory.open(Path(sys.argv[1])) as memory:
    print(flush=True)
    memory.index(Path(sys.argv[2]))
"""

WATCH = """
import sys, threading
from pathlib import Path
from aurora.memory import Memory
from aurora.memory.indexing.watch import watch_project

memory = Memory.open(Path(sys.argv[1]))
watch_project(memory, Path(sys.argv[2]), threading.Event(), lambda update: print(flush=True))
"""


def fill(memory: Memory, count: int) -> None:
    """What no file holds: facts, patterns, their uses, runs."""
    for n in range(count):
        type_ = ("know", "reas")[n % 2]
        text = f"Rule {n}: before release {n * 7}, somebody empties the staging server and checks the logs"
        id_, _ = memory.remember(type=type_, kind="fact", symbol=f"rule {n}", text=text, metadata={"tags": [str(n)]})
        memory.record_use([id_])
    for n in range(1 + count // 20):
        memory.journal.create(f"r{n}", "soar", {"n": n}, [("assess", {"n": n}), ("retrieve", {}), ("respond", {})])


def durable(database: Path) -> str:
    """What cannot be made anew, as an export has it."""
    with Memory.open(database) as memory:
        return export_records(memory.store).to_text()


def indexed(database: Path) -> dict[str, list[tuple[object, ...]]]:
    """All that an indexing makes, without the numbers that depend on its order."""
    questions = {
        "files": "SELECT path, language, size, mtime_ns, sha256, parsed FROM files",
        "chunks": "SELECT id, chunks.type, path, start_line, end_line, symbol, kind, text, metadata, hex(body) "
        "FROM chunks LEFT JOIN vectors USING (n)",
        "edges": "SELECT one.path, one.symbol, other.path, other.symbol, edges.kind, edges.confidence, edges.how "
        "FROM edges JOIN nodes AS one ON one.n = edges.source JOIN nodes AS other ON other.n = edges.target",
    }
    db = apsw.Connection(str(database), apsw.SQLITE_OPEN_READONLY)
    try:
        return {name: sorted(db.execute(sql).fetchall(), key=repr) for name, sql in questions.items()}
    finally:
        db.close()


def watched(database: Path, root: Path, draw: random.Random, whole: float) -> None:
    """Follow the tree, work on it, and kill who follows at some moment of that."""
    with subprocess.Popen([sys.executable, "-c", WATCH, str(database), str(root)], stdout=subprocess.PIPE) as running:
        assert running.stdout is not None
        running.stdout.readline()  # the whole tree was looked at
        change(root)
        with contextlib.suppress(subprocess.TimeoutExpired):
            running.wait(draw.uniform(0, whole))
        running.send_signal(signal.SIGKILL)
        assert running.wait() == -signal.SIGKILL


def place(source: Path, database: Path) -> None:
    """This database under that name, without a log of the one before."""
    for old in database.parent.glob(f"{database.name}*"):
        old.unlink()
    shutil.copyfile(source, database)


def change(root: Path) -> None:
    """A day's work: files deleted, renamed, changed and added."""
    (root / "json" / "tool.py").unlink()
    (root / "json" / "scanner.py").rename(root / "json" / "reader.py")
    for file in (root / "click").glob("*.py"):
        file.write_text(file.read_text(encoding="utf-8") + "\n\ndef added_today():\n    return 1\n", encoding="utf-8")
    (root / "new.md").write_text("# New\n\nA page about `JSONDecoder`.\n", encoding="utf-8")


@pytest.fixture
def library(library: Path) -> Path:
    """A small part of the library, which many runs read."""
    for path in [*library.glob("http/*.py"), *library.glob("click/*.py")]:
        if path.name not in {"formatting.py", "globals.py", "parser.py", "testing.py", "utils.py"}:
            path.unlink()
    return library


@pytest.mark.parametrize("before", ["nothing", "yesterday"])
def test_an_indexing_killed_at_any_moment_loses_nothing_and_the_next_one_completes_it(
    tmp_path: Path, library: Path, run_forked: RunForked, before: str
) -> None:
    start, database = tmp_path / "start.db", tmp_path / "memory.db"
    with Memory.open(start) as memory:
        fill(memory, 40)
        if before == "yesterday":
            memory.index(library)
            change(library)
    kept = durable(start)
    place(start, database)
    code, whole = run_forked(INDEX, database, library)
    assert code == 0
    undisturbed = indexed(database)
    draw = random.Random(before)  # noqa: S311 - moments, not secrets
    for attempt in range(-(-KILLS // 2)):
        place(start, database)
        code, _ = run_forked(INDEX, database, library, kill_after=draw.uniform(0, whole) if attempt else 0)
        assert code in {0, -signal.SIGKILL}
        assert [each for each in check_memory(database) if not each.unfinished] == []
        assert durable(database) == kept
        with Memory.open(database) as memory:
            assert memory.search("empty the staging server").hits
            memory.index(library)
        assert check_memory(database) == ()
        assert indexed(database) == undisturbed
        assert durable(database) == kept


def test_who_follows_a_tree_may_be_killed_at_any_moment_and_nothing_is_lost(tmp_path: Path, library: Path) -> None:
    start, database, root = tmp_path / "start.db", tmp_path / "memory.db", tmp_path / "root"
    with Memory.open(start) as memory:
        fill(memory, 40)
        began = time.perf_counter()
        memory.index(library)
        whole = time.perf_counter() - began + 0.4  # the 0.4 s that a change may wait for others
    kept = durable(start)
    draw = random.Random(3)  # noqa: S311 - moments, not secrets
    for _ in range(-(-KILLS // 3)):
        shutil.rmtree(root, ignore_errors=True)
        shutil.copytree(library, root)
        place(start, database)
        watched(database, root, draw, whole)
        assert [each for each in check_memory(database) if not each.unfinished] == []
        assert durable(database) == kept
        with Memory.open(database) as memory:
            memory.index(root)
        assert check_memory(database) == ()
        place(start, tmp_path / "undisturbed.db")
        with Memory.open(tmp_path / "undisturbed.db") as memory:
            memory.index(root)
        assert indexed(database) == indexed(tmp_path / "undisturbed.db")
        assert durable(database) == kept
