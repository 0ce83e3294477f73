"""A check finds damage in each part, and a repair fixes it in place; a kill at any moment loses nothing."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import apsw
import pytest

from aurora.errors import Code, Fault
from aurora.memory import Memory
from aurora.memory.database import create_backup
from aurora.memory.indexing.run import ignore_progress
from aurora.memory.maintenance.adopt import rebuild_memory, repair_memory
from aurora.memory.maintenance.check import check_memory
from aurora.memory.sqlite.owner import record_own

if TYPE_CHECKING:
    from typing import Protocol

    class RunForked(Protocol):
        def __call__(self, program: str, *arguments: Path, kill_after: float | None = None) -> tuple[int, float]: ...


REPAIR = """
import sys
from pathlib import Path
from aurora.memory.indexing.run import ignore_progress
from aurora.memory.maintenance import repair_memory
print(flush=True)
repair_memory(Path(sys.argv[1]), Path(sys.argv[2]), ignore_progress)
"""

HARM = {
    "words": "DELETE FROM postings WHERE term IN (SELECT term FROM postings LIMIT 5)",
    "vectors": "UPDATE vectors SET body = x'00' WHERE n IN (SELECT n FROM vectors LIMIT 3)",
    "graph": "PRAGMA foreign_keys = 0; DELETE FROM nodes WHERE n IN (SELECT target FROM edges LIMIT 3)",
    "text": "PRAGMA foreign_keys = 0; DELETE FROM files WHERE path = 'json/decoder.py'",
    "journal": "UPDATE steps SET document = '{\"torn\": ' WHERE seq = 2",
}


@pytest.fixture
def project(memory: Memory, library: Path) -> tuple[Path, Path]:
    """Database with code, facts and a run, and its project folder."""
    memory.index(library)
    for i in range(20):
        memory.remember(type="reas", kind="pattern", symbol=f"fact {i}", text=f"fact {i}", metadata={})
    memory.journal.create("run1", "soar", {"run": 1}, [("assess", {}), ("retrieve", {}), ("respond", {})])
    memory.close()
    return memory.path, library


@pytest.fixture
def small_project(memory: Memory, tmp_path: Path) -> tuple[Path, Path]:
    """Database with facts and the code of one package, and the package's folder."""
    root = shutil.copytree(Path(json.__file__).parent, tmp_path / "json", ignore=shutil.ignore_patterns("__pycache__"))
    memory.index(root)
    for i in range(20):
        memory.remember(type="reas", kind="pattern", symbol=f"fact {i}", text=f"fact {i}", metadata={})
    memory.close()
    return memory.path, root


def facts(database: Path) -> set[str]:
    with Memory.open(database) as memory:
        return {chunk.symbol for chunk in memory.iter_chunks() if chunk.path is None}


def harm(database: Path, sql: str) -> None:
    db = apsw.Connection(str(database))
    db.execute(sql)
    db.close()


@pytest.mark.parametrize("part", sorted(HARM))
def test_damage_in_one_part_is_found_and_repaired_in_place(project: tuple[Path, Path], part: str) -> None:
    database, root = project
    assert check_memory(database) == ()
    before = facts(database)
    harm(database, HARM[part])
    found = check_memory(database)
    assert part in {one.part for one in found if not one.unfinished}
    assert {one.remedy for one in found if not one.unfinished} == {"aur mem repair"}
    done = repair_memory(database, root, ignore_progress)
    assert done.damaged_path is None
    assert done.previous_backup is not None
    assert done.previous_backup.reason == "before-repair"
    assert done.remaining == check_memory(database) == ()
    assert facts(database) == before
    with Memory.open(database) as memory:
        steps = [step.seq for step in memory.journal.steps("run1")]
        assert memory.search("raw_decode").hits
    assert steps == ([1] if part == "journal" else [1, 2, 3])
    assert bool(done.lost) is (part == "journal")


def test_a_memory_open_in_another_process_can_be_checked(project: tuple[Path, Path]) -> None:
    database, _ = project
    with Memory.open(database) as memory:
        memory.remember(type="reas", kind="pattern", symbol="new", text="still in the log", metadata={})
        assert check_memory(database) == ()


def test_an_interrupted_indexing_is_unfinished_and_not_damage(project: tuple[Path, Path]) -> None:
    database, root = project
    harm(database, "UPDATE facts SET value = 'running' WHERE key = 'index_state'; DELETE FROM vectors WHERE n < 50")
    found = check_memory(database)
    assert [(one.part, one.remedy) for one in found] == [("text", "aur mem index"), ("vectors", "aur mem index")]
    assert all(one.unfinished for one in found)
    with Memory.open(database) as memory:
        memory.index(root)
    assert check_memory(database) == ()


def test_a_rebuild_reads_all_files_and_keeps_records_runs_and_ids(project: tuple[Path, Path]) -> None:
    database, root = project
    before = facts(database)
    with Memory.open(database) as memory:
        ids = {chunk.id for chunk in memory.iter_chunks()}
    report = rebuild_memory(database, root, ignore_progress)
    assert report.added == report.files
    assert facts(database) == before
    with Memory.open(database) as memory:
        assert {chunk.id for chunk in memory.iter_chunks()} == ids
        assert len(memory.journal.steps("run1")) == 3
    assert check_memory(database) == ()


def test_a_rebuild_without_the_project_folder_removes_nothing(project: tuple[Path, Path]) -> None:
    database, root = project
    with pytest.raises(Fault, match="there is no folder") as caught:
        rebuild_memory(database, root / "gone", ignore_progress)
    assert caught.value.code is Code.NOT_FOUND
    assert check_memory(database) == ()


def test_a_repair_without_a_memory_names_the_commands_that_create_one(tmp_path: Path) -> None:
    with pytest.raises(Fault, match="there is no memory at") as caught:
        repair_memory(tmp_path / "memory.db", tmp_path, ignore_progress)
    assert caught.value.code is Code.NOT_FOUND
    assert not list(tmp_path.iterdir())


def test_a_repair_that_is_killed_at_any_moment_loses_nothing(
    small_project: tuple[Path, Path], tmp_path: Path, run_forked: RunForked
) -> None:
    database, root = small_project
    create_backup(database)
    torn = tmp_path / "torn.db"
    with database.open("rb+") as file:
        file.write(b"\xa5" * 4096)
    shutil.copyfile(database, torn)
    code, whole = run_forked(REPAIR, database, root)
    assert code == 0
    kept = facts(database)
    assert len(kept) == 20
    draw = random.Random(5)  # noqa: S311 - moments, not secrets
    for _ in range(int(os.environ.get("AURORA_KILLS", "8"))):
        for old in database.parent.glob("memory.db*"):
            old.unlink()
        shutil.copyfile(torn, database)
        record_own(database)  # damage comes to a file that this account made
        code, _ = run_forked(REPAIR, database, root, kill_after=draw.uniform(0, whole))
        assert code in {0, -signal.SIGKILL}
        assert database.exists(), "the name is never without a database"
        repair_memory(database, root, ignore_progress)
        assert facts(database) == kept
        assert check_memory(database) == ()
        aside = [
            path for path in database.parent.glob("memory.db.damaged-*") if not path.name.endswith(("-wal", "-shm"))
        ]
        assert any(path.read_bytes() == torn.read_bytes() for path in aside)


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0 or not shutil.which("mount"), reason="needs a small disk")
def test_a_full_disk_stops_a_repair_and_the_damaged_database_is_unchanged(
    project: tuple[Path, Path], tmp_path: Path
) -> None:
    database, root = project
    disk = tmp_path / "disk"
    disk.mkdir()
    size = database.stat().st_size + 60_000
    if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(disk)], check=False).returncode:
        pytest.skip("this machine mounts nothing")
    try:
        small = disk / "memory.db"
        shutil.copyfile(database, small)
        with small.open("rb+") as file:
            file.write(b"\xa5" * 4096)
        before = small.read_bytes()
        with pytest.raises(Fault) as caught:
            repair_memory(small, root, ignore_progress)
        assert caught.value.code is Code.UPSTREAM_ERROR
        assert small.read_bytes() == before
        assert [path.name for path in disk.iterdir()] == ["memory.db"]
    finally:
        subprocess.run(["umount", str(disk)], check=True)
