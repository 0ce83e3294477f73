"""A damaged database is moved away byte for byte; the new one has its readable rows and those of the backup."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import apsw
import pytest

from aurora.errors import Code, Fault
from aurora.memory import Memory
from aurora.memory.database import create_backup, open_store
from aurora.memory.files.atomic import replace_database
from aurora.memory.indexing.run import ignore_progress
from aurora.memory.maintenance.adopt import RepairResult, repair_memory
from aurora.memory.maintenance.check import check_memory
from aurora.memory.records.edits import forget_records
from aurora.memory.sqlite import schema
from aurora.memory.sqlite.backup.lock import lock_exclusively
from aurora.memory.sqlite.schema import create_schema

if TYPE_CHECKING:
    from pathlib import Path

    from aurora.memory.model.chunks import Chunk

PAGE = 4096
REPAIR = """
import os, sys, time
from pathlib import Path
from aurora.memory.indexing.run import ignore_progress
from aurora.memory.maintenance import repair_memory
database, root, meeting = map(Path, sys.argv[1:])
(meeting / f"ready-{os.getpid()}").touch()
while not (meeting / "go").exists():
    time.sleep(0.001)
repair_memory(database, root, ignore_progress)
"""
FACTS, RUNS = 400, 40


@pytest.fixture
def full(database: Path) -> Path:
    """Path of a closed memory with code, facts and runs."""
    root = database.parent.parent
    root.mkdir()
    for i in range(60):
        (root / f"module_{i}.py").write_text(f"def function_{i}(a):\n    return helper_{i % 7}(a)\n", encoding="utf-8")
    with Memory.open(database) as memory:
        for i in range(FACTS):
            text = f"fact {i} " + "word " * 60
            memory.remember(type="reas", kind="pattern", symbol=f"fact {i}", text=text, metadata={})
        memory.index(root)
        for i in range(RUNS):
            steps = [("assess", {"n": n, "text": "x" * 900}) for n in range(5)]
            memory.journal.create(f"run{i:03}", "soar", {"run": i}, steps)
    return database


def held(database: Path) -> tuple[set[str], set[str], dict[str, int]]:
    """Return the symbols of the facts, the names of the runs, and the number of chunks by type."""
    with Memory.open(database) as memory:
        facts = {chunk.symbol for chunk in memory.iter_chunks() if chunk.path is None}
        return facts, {run.run for run in memory.journal.runs(1000)}, dict(memory.stats().chunks)


def pages_of(database: Path, *tables: str) -> list[int]:
    """Return the pages, from 1, with the rows of these tables."""
    db = apsw.Connection(str(database))
    try:
        rows = db.execute("SELECT name, pageno FROM dbstat WHERE pagetype = 'leaf'").fetchall()
    finally:
        db.close()
    return [int(str(page)) for name, page in rows if name in tables]


def overwrite(database: Path, pages: list[int], seed: int) -> None:
    draw = random.Random(seed)  # noqa: S311 - noise, not secrets
    with database.open("rb+") as file:
        for page in pages:
            file.seek((page - 1) * PAGE)
            file.write(draw.randbytes(PAGE))


def repaired(database: Path) -> RepairResult:
    """Repair, and check that the damaged file is kept and that the memory is intact."""
    before = database.read_bytes()
    done = repair_memory(database, database.parent.parent, ignore_progress)
    assert done.damaged_path is not None
    assert done.damaged_path.read_bytes() == before
    assert check_memory(database) == ()
    return done


def add_later(database: Path, count: int = 3) -> set[str]:
    """Add facts after the backup; return their symbols."""
    names = {f"later {i}" for i in range(count)}
    with Memory.open(database) as memory:
        for name in sorted(names):
            memory.remember(type="reas", kind="pattern", symbol=name, text=name + " word" * 60, metadata={})
    return names


def test_a_page_of_noise_loses_nothing_that_the_backup_has_and_what_came_later_is_read_from_behind(full: Path) -> None:
    create_backup(full)
    later = add_later(full)
    before = held(full)
    overwrite(full, pages_of(full, "chunks")[3:5], 1)

    done = repaired(full)

    assert held(full) == before
    assert later <= before[0]
    assert done.lost == ()
    assert done.backup is not None
    assert 0 < done.from_backup["chunks"] < FACTS / 4
    assert done.saved["chunks"] + done.from_backup["chunks"] == FACTS + len(later)


def test_without_a_backup_the_lost_rows_are_named(full: Path) -> None:
    facts, runs, chunks = held(full)
    with Memory.open(full) as memory:
        ids = {chunk.symbol: chunk.id for chunk in memory.iter_chunks()}
    overwrite(full, pages_of(full, "chunks")[3:5], 1)

    done = repaired(full)

    left, runs_left, chunks_left = held(full)
    gone = facts - left
    assert 0 < len(gone) < FACTS / 4
    assert sorted(done.lost) == sorted(f'"{ids[symbol]}"' for symbol in gone)
    assert runs_left == runs
    assert chunks_left["code"] == chunks["code"]


def test_what_came_after_the_backup_and_is_on_the_lost_page_is_named(full: Path) -> None:
    create_backup(full)
    with Memory.open(full) as memory:
        id_, _ = memory.remember(type="reas", kind="pattern", symbol="last", text="the last one", metadata={})
    with Memory.open(full) as memory:
        numbers = [n for n, chunk in memory_rows(memory) if chunk.id == id_]
    overwrite(full, [page_of_row(full, numbers[0])], 3)

    done = repaired(full)

    assert done.lost == (f'"{id_}"',)
    assert len(held(full)[0]) == FACTS


def memory_rows(memory: Memory) -> list[tuple[int, Chunk]]:
    with memory.store.begin_read() as db:
        return list(db.chunks.iter_all())


def page_of_row(database: Path, number: int) -> int:
    """Return the page with the text of a chunk: the one with it that belongs to the table itself."""
    with contextlib.closing(apsw.Connection(str(database))) as db:
        text = str(db.execute("SELECT text FROM chunks WHERE n = ?", (number,)).fetchall()[0][0]).encode()
    body = database.read_bytes()
    return next(page for page in pages_of(database, "chunks") if text in body[(page - 1) * PAGE : page * PAGE])


def test_what_was_forgotten_after_the_backup_stays_forgotten(full: Path) -> None:
    create_backup(full)
    with Memory.open(full) as memory:
        gone = next(chunk for chunk in memory.iter_chunks() if chunk.symbol == "fact 399")
        forget_records(memory.store, [gone.id])
    overwrite(full, pages_of(full, "chunks")[3:5], 1)

    repaired(full)

    assert held(full)[0] == {f"fact {i}" for i in range(FACTS - 1)}


def test_a_run_that_is_torn_is_taken_whole_from_the_backup(full: Path) -> None:
    create_backup(full)
    before = held(full)
    for table in ("runs", "steps"):
        overwrite(full, pages_of(full, table)[1:3], 2)

    done = repaired(full)

    assert held(full) == before
    assert done.lost == ()
    assert done.from_backup.keys() == {"runs", "steps"}
    with Memory.open(full) as memory:
        assert {len(memory.journal.steps(f"run{i:03}")) for i in range(RUNS)} == {5}


def test_a_lost_page_of_runs_without_a_backup_loses_these_runs_with_their_steps(full: Path) -> None:
    overwrite(full, pages_of(full, "runs")[:1], 2)
    done = repaired(full)
    _, runs_left, _ = held(full)
    assert len(runs_left) < RUNS
    for name in {f"run{i:03}" for i in range(RUNS)} - runs_left:
        assert any(f'run "{name}"' in said for said in done.lost)


def test_noise_on_what_indexing_makes_again_loses_nothing(full: Path) -> None:
    before = held(full)
    overwrite(full, pages_of(full, "postings", "vectors", "nodes", "edges", "sqlite_autoindex_chunks_1", "files"), 3)
    assert repaired(full).lost == ()
    assert held(full) == before


@pytest.mark.parametrize("body", [b"", b"some notes of mine\n" * 3000, b"SQLite format 3\x00"])
def test_of_a_file_that_cannot_be_read_all_comes_from_the_backup_and_its_time_is_said(full: Path, body: bytes) -> None:
    made = create_backup(full)
    add_later(full)
    before = held(full)
    full.with_name("memory.db-wal").unlink(missing_ok=True)
    full.write_bytes(body or b"\xa5" * PAGE + full.read_bytes()[PAGE:])

    done = repaired(full)

    assert done.lost == (f"what was written after {made.made_at}: nothing of the file can be read",)
    assert held(full) == (before[0] - {"later 0", "later 1", "later 2"}, before[1], {**before[2], "reas": FACTS})


def test_a_damaged_backup_is_passed_over_for_the_one_before(full: Path) -> None:
    good = create_backup(full)
    bad = create_backup(full)
    bad.path.write_bytes(bad.path.read_bytes()[:PAGE])
    overwrite(full, [1], 4)
    before = held(shutil.copyfile(good.path, full.parent / "copy.db"))

    done = repaired(full)

    assert done.backup == good
    assert held(full)[0] == before[0]


def test_a_backup_that_a_clone_brought_is_not_used(full: Path) -> None:
    folder = full.parent / "backups"
    folder.mkdir()
    with contextlib.closing(apsw.Connection(str(folder / "20990101-000000-hourly-99.db"))) as db:
        create_schema(db)
        db.execute(
            "INSERT INTO chunks (id, type, start_line, end_line, symbol, name, kind, language, text, metadata)"
            " VALUES ('know:1', 'know', 0, 0, 'evil', 'evil', 'fact', '', 'trust me', '{}')"
        )
    overwrite(full, [1], 4)

    done = repaired(full)

    assert done.backup is None
    assert held(full)[0] == set()


@pytest.mark.parametrize("seed", range(6))
def test_noise_anywhere_leaves_all_that_the_backup_has(full: Path, seed: int) -> None:
    create_backup(full)
    facts, runs, chunks = held(full)
    draw = random.Random(seed)  # noqa: S311 - as above
    pages = full.stat().st_size // PAGE
    overwrite(full, draw.sample(range(1, pages + 1), max(1, pages // 50)), seed)
    repaired(full)
    assert held(full) == (facts, runs, chunks)


@pytest.mark.parametrize("share", [0.3, 0.7, 0.95])
def test_a_truncated_file_keeps_all_that_the_backup_has(full: Path, share: float) -> None:
    create_backup(full)
    before = held(full)
    os.truncate(full, int(full.stat().st_size * share))
    repaired(full)
    assert held(full) == before


def test_a_truncated_file_without_a_backup_keeps_the_rows_of_its_beginning(full: Path) -> None:
    facts, runs, chunks = held(full)
    os.truncate(full, int(full.stat().st_size * 0.7))
    done = repaired(full)
    left, runs_left, chunks_left = held(full)
    assert left <= facts
    assert left, "the facts were written first"
    assert chunks_left["code"] == chunks["code"]
    assert bool(done.lost) >= (left != facts or runs_left != runs)


def test_an_empty_file_is_an_empty_memory_and_is_not_moved_away(full: Path) -> None:
    full.write_bytes(b"")
    full.with_name("memory.db-wal").unlink(missing_ok=True)
    assert repair_memory(full, full.parent.parent, ignore_progress).damaged_path is None


def test_rows_that_are_only_in_the_log_are_kept(full: Path) -> None:
    with Memory.open(full) as memory:
        memory.remember(type="reas", kind="pattern", symbol="in the log", text="in the log", metadata={})
        body, log = full.read_bytes(), full.with_name("memory.db-wal").read_bytes()
    full.write_bytes(body)
    full.with_name("memory.db-wal").write_bytes(log)
    full.with_name("memory.db-shm").unlink(missing_ok=True)
    overwrite(full, pages_of_bytes(body, full)[:1], 5)
    done = repair_memory(full, full.parent.parent, ignore_progress)
    assert "in the log" in held(full)[0]
    assert done.damaged_path is not None
    kept = [done.damaged_path, *done.damaged_path.parent.glob(f"{done.damaged_path.name}-wal")]
    assert any(b"in the log" in path.read_bytes() for path in kept)


def pages_of_bytes(body: bytes, database: Path) -> list[int]:
    whole = database.with_name("whole.db")
    whole.write_bytes(body)
    return pages_of(whole, "nodes")


def test_a_memory_of_an_older_version_is_replaced_and_keeps_facts_and_runs(full: Path) -> None:
    before = held(full)
    with contextlib.closing(apsw.Connection(str(full))) as db:
        db.pragma("user_version", schema.VERSION - 1)
    with pytest.raises(Fault, match="the version in its header"):
        Memory.open(full)
    assert repaired(full).lost == ()
    assert held(full) == before


def test_a_database_of_a_newer_version_is_not_repaired(full: Path) -> None:
    db = apsw.Connection(str(full))
    db.pragma("user_version", schema.VERSION + 5)
    db.close()
    before = full.read_bytes()
    with pytest.raises(Fault, match=f"has version {schema.VERSION + 5}") as caught:
        repair_memory(full, full.parent.parent, ignore_progress)
    assert caught.value.code is Code.CONFLICT
    assert full.read_bytes() == before


def test_two_processes_that_repair_at_once_move_one_file_away(full: Path, tmp_path: Path) -> None:
    create_backup(full)
    before = held(full)
    overwrite(full, [1], 4)
    torn = full.read_bytes()
    command = [sys.executable, "-c", REPAIR, str(full), str(full.parent.parent), str(tmp_path)]
    with contextlib.ExitStack() as stack:
        for _ in range(2):
            stack.enter_context(subprocess.Popen(command))
        while len(list(tmp_path.glob("ready-*"))) < 2:
            time.sleep(0.001)
        (tmp_path / "go").touch()
    aside = list(full.parent.glob("memory.db.damaged-*"))
    assert [path.read_bytes() for path in aside] == [torn]
    assert held(full) == before
    assert check_memory(full) == ()
    assert not list(full.parent.glob(".memory.db*"))


def test_a_waiting_writer_writes_to_the_database_that_replaced_the_damaged_one(full: Path) -> None:
    overwrite(full, pages_of(full, "nodes")[:2], 6)
    facts, _, _ = held(full)
    with Memory.open(full) as memory, ThreadPoolExecutor(1) as pool:
        with lock_exclusively(full):
            begun = threading.Event()
            writing = pool.submit(write_one, memory, begun)
            begun.wait()
            new = full.with_name("new.db")
            shutil.copyfile(full, new)
            replace_database(new, full)
        writing.result()
    assert held(full)[0] == facts | {"came later"}


def write_one(memory: Memory, begun: threading.Event) -> None:
    begun.set()
    memory.remember(type="reas", kind="pattern", symbol="came later", text="came later", metadata={})


def test_a_repair_waits_for_a_writer_and_ends_in_a_timeout(full: Path) -> None:
    overwrite(full, pages_of(full, "postings")[:2], 6)
    before = full.read_bytes()
    with (
        contextlib.closing(open_store(full)) as store,
        store.begin_write(),
        pytest.raises(Fault, match="is locked by another process") as caught,
    ):
        repair_memory(full, full.parent.parent, ignore_progress)
    assert caught.value.code is Code.TIMEOUT
    assert full.read_bytes() == before
    assert not list(full.parent.glob("memory.db.damaged-*"))
    assert repair_memory(full, full.parent.parent, ignore_progress).damaged_path
