"""Several programs in several worktrees: nothing is lost, and a server fills the index of a new worktree."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

from aurora.errors import Fault
from aurora.memory import Memory, database_path, records_path
from aurora.memory.maintenance.check import check_memory

from .conftest import list_facts, open_memory
from .test_views import assert_is_fresh

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from .conftest import RunGit

WRITE = """
import sys
from pathlib import Path
from aurora.memory import Memory, database_path

root, name = Path(sys.argv[1]), sys.argv[2]
with Memory.open(database_path(root)) as memory:
    for n in range(10):
        memory.remember(type="know", kind="fact", symbol=f"{name} {n}", text=f"Fact {n} of {name}", metadata={})
        memory.journal.create(f"{name}-{n}", "soar", {}, [("assess", {})])
        if n == 5:
            memory.index(root)
"""
DEADLINE = 60.0


def test_programs_that_write_in_several_worktrees_lose_nothing(main: Path, linked: Path, git: RunGit) -> None:
    git(main, "worktree", "add", "-q", "../third")
    places = [(main, "a"), (linked, "b"), (linked, "c"), (main.with_name("third"), "d")]
    running = [subprocess.Popen([sys.executable, "-P", "-c", WRITE, str(root), name]) for root, name in places]
    assert [each.wait(DEADLINE) for each in running] == [0, 0, 0, 0]
    expected = {f"Fact {n} of {name}" for n in range(10) for _, name in places}
    for root, _ in places:
        with open_memory(root) as memory:
            assert list_facts(memory) == expected
            assert {row.run for row in memory.journal.runs(100)} == {
                f"{name}-{n}" for n in range(10) for _, name in places
            }
        assert check_memory(database_path(root)) == ()
    assert check_memory(records_path(linked)) == ()


def read_state(database: Path) -> str:
    """Return the time of the last indexing; empty before the first, and while another process puts it in its place."""
    if not database.exists():
        return ""
    try:
        with Memory.open(database, read_only=True) as memory:
            return memory.stats().indexed_at or ""
    except Fault:
        return ""


def test_a_server_in_a_new_worktree_indexes_it(
    main: Path, linked: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    with open_memory(main) as memory:
        memory.index(main)
    command = [sys.executable, "-P", "-m", "aurora", "mcp"]
    with subprocess.Popen(command, cwd=linked, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as server:
        end = time.monotonic() + DEADLINE
        while not read_state(database_path(linked)) and time.monotonic() < end:
            time.sleep(0.1)
        assert server.stdin is not None
        server.stdin.close()
        assert server.wait(DEADLINE) == 0
    with open_memory(linked) as memory:
        assert memory.stats().root == str(linked)
        assert_is_fresh(memory, linked, tmp_path / "fresh")


def test_a_search_in_a_worktree_that_was_not_indexed_says_so(main: Path, linked: Path) -> None:
    with open_memory(main) as memory:
        memory.index(main)
        memory.remember(type="know", kind="fact", symbol="queue", text="The queue drains at night.", metadata={})

    def search() -> dict[str, Any]:
        command = [sys.executable, "-P", "-m", "aurora", "mem", "search", "drain the queue", "--json"]
        done = subprocess.run(command, cwd=linked, capture_output=True, text=True, check=True)
        found: dict[str, Any] = json.loads(done.stdout)
        return found

    before = search()
    assert [hit["type"] for hit in before["hits"]] == ["know"]
    assert before["note"].startswith("The files of this worktree are not indexed yet: run `aur mem index`.")
    with open_memory(linked) as memory:
        memory.index(linked)
    after = search()
    assert "queue.py" in {hit.get("path") for hit in after["hits"]}
    assert "not indexed" not in after.get("note", "")
