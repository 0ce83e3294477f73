"""Killed at any moment, worktrees lose no record, and no index has files of another tree.

`AURORA_KILLS=100` takes the moments a person would want to see once; every run of the suite takes a few.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
from typing import TYPE_CHECKING

import pytest

from aurora.memory import Memory, database_path, records_path
from aurora.memory.maintenance.check import check_memory
from tests.memory.conftest import copy_library

from .conftest import list_facts, open_memory, remember
from .test_views import assert_is_fresh, change_tree

if TYPE_CHECKING:
    from pathlib import Path

    from tests.memory.conftest import RunForked

    from .conftest import RunGit

KILLS = int(os.environ.get("AURORA_KILLS", "4"))

WORK = """
import sys
from pathlib import Path
from aurora.memory import Memory, database_path

root, done = Path(sys.argv[1]), Path(sys.argv[2])
print(flush=True)
with Memory.open(database_path(root)) as memory, done.open("a") as kept:
    for n in range(12):
        memory.remember(type="know", kind="fact", symbol=f"new {n}", text=f"New fact {n}", metadata={})
        memory.journal.create(f"new-{n}", "soar", {"n": n}, [("assess", {})])
        print(n, file=kept, flush=True)
        if n == 3:
            memory.index(root)
"""


@pytest.fixture
def project(main: Path, linked: Path, git: RunGit, tmp_path: Path) -> Path:
    """Two worktrees with one memory; the folder is copied for each moment."""
    copy_library(main, ("json",))
    git(main, "add", "-A")
    git(main, "commit", "-q", "-m", "library")
    git(linked, "merge", "-q", "main")
    change_tree(linked)
    for root in (main, linked):
        with open_memory(root) as memory:
            for n in range(20):
                remember(memory, f"Old fact {n} of {root.name}")
                memory.journal.create(f"{root.name}-{n}", "soar", {"n": n}, [("assess", {}), ("respond", {})])
            if root == main:
                memory.index(root)
    return tmp_path


def place(project: Path) -> tuple[Path, Path]:
    """Put the worktrees at their place, since git's files name it."""
    for name in ("main", "linked"):
        shutil.rmtree(project / name, ignore_errors=True)
        shutil.copytree(project / "kept" / name, project / name)
    return project / "main", project / "linked"


def read_runs(root: Path) -> dict[str, int]:
    with open_memory(root) as memory:
        return {row.run: len(memory.journal.steps(row.run)) for row in memory.journal.runs(1_000)}


def test_a_worktree_killed_at_any_moment_loses_no_record(project: Path, run_forked: RunForked, tmp_path: Path) -> None:
    for name in ("main", "linked"):
        shutil.copytree(project / name, project / "kept" / name)
    old = {f"Old fact {n} of {name}" for n in range(20) for name in ("main", "linked")}
    runs = {f"{name}-{n}": 2 for n in range(20) for name in ("main", "linked")}
    done = tmp_path / "done"
    main, linked = place(project)
    code, whole = run_forked(WORK, linked, done)
    assert code == 0
    draw = random.Random(21)  # noqa: S311 - moments, not secrets
    for attempt in range(KILLS):
        main, linked = place(project)
        done.write_text("", encoding="utf-8")
        code, _ = run_forked(WORK, linked, done, kill_after=draw.uniform(0, whole) if attempt else 0)
        assert code in {0, -signal.SIGKILL}
        count = len(done.read_text(encoding="utf-8").split())
        new = {f"New fact {n}" for n in range(count)}
        maybe = {f"New fact {count}"}
        with open_memory(linked) as there:
            assert old | new <= list_facts(there) <= old | new | maybe
            there.index(linked)
            assert_is_fresh_code(there, linked, tmp_path / f"fresh-{attempt}")
        with open_memory(main) as here, open_memory(linked) as there:
            assert list_facts(here) == list_facts(there)
        found = read_runs(main)
        assert {run: steps for run, steps in found.items() if not run.startswith("new-")} == runs
        assert {f"new-{n}" for n in range(count)} <= found.keys()
        for database in (records_path(linked), database_path(linked)):
            assert [each for each in check_memory(database) if not each.unfinished] == []


def assert_is_fresh_code(memory: Memory, root: Path, folder: Path) -> None:
    """Check the index against that of a fresh memory with the same records."""
    folder.mkdir()
    with Memory.open(folder / f"{root.name}.db") as fresh:
        for chunk in memory.iter_chunks():
            if chunk.path is None:
                fresh.remember(
                    type=chunk.type, kind=chunk.kind, symbol=chunk.symbol, text=chunk.text, metadata=chunk.metadata
                )
    assert_is_fresh(memory, root, folder)
