from __future__ import annotations

import shutil
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import TYPE_CHECKING

import apsw
import pytest

from aurora.errors import CancelScope, Code, Fault
from aurora.memory import Memory
from aurora.memory.sqlite import schema

if TYPE_CHECKING:
    from pathlib import Path


def remember(memory: Memory, text: str) -> str:
    return memory.remember(type="reas", kind="pattern", symbol="a pattern", text=text, metadata={})[0]


def refusal(path: Path, *, read_only: bool = False) -> Fault:
    with pytest.raises(Fault) as caught:
        Memory.open(path, read_only=read_only).close()
    assert str(path) in caught.value.message
    assert caught.value.help
    return caught.value


def test_a_record_is_there_after_close_and_open(database: Path) -> None:
    with Memory.open(database) as memory:
        id_ = remember(memory, "split the work by file")
    with Memory.open(database) as memory:
        assert [chunk.text for chunk in memory.get([id_])] == ["split the work by file"]


def test_a_new_database_has_the_latest_version_the_application_id_and_a_write_ahead_log(database: Path) -> None:
    with Memory.open(database) as memory:
        assert memory.stats().schema_version == schema.VERSION
        db = apsw.Connection(str(database))
        assert db.pragma("application_id") == schema.APPLICATION_ID
        assert db.pragma("user_version") == schema.VERSION
        assert db.pragma("journal_mode") == "wal"
        db.close()


def test_an_absent_database_opened_read_only_is_an_empty_memory_and_nothing_is_created(database: Path) -> None:
    with Memory.open(database, read_only=True) as memory:
        assert memory.stats().chunks == {"code": 0, "know": 0, "reas": 0}
        assert memory.stats().size_bytes == 0
        assert memory.get(["reas:000000000000"]) == ()
        assert "aur mem index" in memory.search("anything").note
        assert memory.journal.runs(10) == ()
    assert not database.parent.exists()


def test_readers_after_a_kill_wait_until_one_has_recovered_the_log(database: Path, tmp_path: Path) -> None:
    Memory.open(database).close()
    with closing(apsw.Connection(str(database))) as writer:
        writer.pragma("wal_autocheckpoint", 0)
        for path in range(100):
            writer.execute(
                "INSERT INTO contents (path, sha256, rules, body) VALUES (?, '', '', zeroblob(100000))", (path,)
            )
        killed = tmp_path / "killed"
        killed.mkdir()
        for end in ("", "-wal"):  # a kill leaves a log without its index
            shutil.copy(f"{database}{end}", killed / f"memory.db{end}")
    together = threading.Barrier(6)

    def read(_: int) -> int:
        together.wait()
        with Memory.open(killed / "memory.db", read_only=True) as memory:
            return memory.stats().schema_version

    with ThreadPoolExecutor(together.parties) as pool:
        assert set(pool.map(read, range(together.parties))) == {schema.VERSION}


def test_a_database_that_appears_later_is_seen_by_a_reader_that_found_none(database: Path) -> None:
    with Memory.open(database, read_only=True) as reader:
        assert reader.stats().chunks["reas"] == 0
        with Memory.open(database) as writer:
            id_ = remember(writer, "it appears")
        assert reader.stats().chunks["reas"] == 1
        assert [chunk.id for chunk in reader.get([id_])] == [id_]


def test_nothing_can_be_written_through_a_memory_opened_read_only(database: Path) -> None:
    with Memory.open(database) as memory:
        id_ = remember(memory, "as it was")
    before = database.read_bytes()
    with Memory.open(database, read_only=True) as memory:
        for write in (
            lambda: remember(memory, "something new"),
            lambda: memory.record_use([id_]),
            lambda: memory.journal.create("r", "soar", {}, []),
            lambda: memory.index(database.parent.parent),
        ):
            with pytest.raises(Fault, match="read-only") as caught:
                write()
            assert caught.value.code is Code.FORBIDDEN
    assert database.read_bytes() == before


def test_a_folder_in_place_of_the_database_is_rejected_and_unchanged(tmp_path: Path) -> None:
    place = tmp_path / "memory.db"
    place.mkdir()
    assert refusal(place).code is Code.INVALID_INPUT
    assert refusal(place, read_only=True).code is Code.INVALID_INPUT
    assert place.is_dir()


@pytest.mark.parametrize("body", [b"not a database at all, but some notes\n" * 50, b"x", b"SQLite format 3\x00"])
@pytest.mark.parametrize("read_only", [False, True])
def test_a_file_that_is_not_a_database_is_rejected_and_unchanged(
    tmp_path: Path, body: bytes, *, read_only: bool
) -> None:
    file = tmp_path / "memory.db"
    file.write_bytes(body)
    fault = refusal(file, read_only=read_only)
    assert fault.code is Code.UPSTREAM_ERROR
    assert "aur mem repair" in fault.help
    assert file.read_bytes() == body


@pytest.mark.parametrize("share", [0.05, 0.3, 0.6, 0.99])
@pytest.mark.parametrize("read_only", [False, True])
def test_a_truncated_database_is_rejected_and_unchanged(database: Path, share: float, *, read_only: bool) -> None:
    with Memory.open(database) as memory:
        for i in range(200):
            remember(memory, f"pattern number {i} about something")
    whole = database.read_bytes()
    database.write_bytes(whole[: int(len(whole) * share)])
    cut = database.read_bytes()
    assert refusal(database, read_only=read_only).code is Code.UPSTREAM_ERROR
    assert database.read_bytes() == cut


def test_damage_in_the_middle_is_a_fault_and_never_a_traceback(database: Path) -> None:
    with Memory.open(database) as memory:
        for i in range(400):
            remember(memory, f"pattern number {i} about something " + "word " * 50)
    body = bytearray(database.read_bytes())
    body[8192:] = b"\xa5" * (len(body) - 8192)
    database.write_bytes(body)

    def meet_it() -> None:
        with Memory.open(database) as memory:
            memory.search("something")
            memory.stats()

    with pytest.raises(Fault) as caught:
        meet_it()
    assert caught.value.code is Code.UPSTREAM_ERROR


def test_an_empty_file_becomes_a_database(tmp_path: Path) -> None:
    file = tmp_path / "memory.db"
    file.touch()
    with Memory.open(file, read_only=True) as memory:
        assert memory.stats().chunks["code"] == 0
    with Memory.open(file) as memory:
        assert memory.find_missing([remember(memory, "here")]) == ()


def test_a_newer_version_is_a_conflict_that_names_both_and_touches_nothing(database: Path) -> None:
    with Memory.open(database) as memory:
        remember(memory, "from the future")
    db = apsw.Connection(str(database))
    db.pragma("user_version", schema.VERSION + 1)
    db.close()
    before = database.read_bytes()
    for read_only in (False, True):
        fault = refusal(database, read_only=read_only)
        assert fault.code is Code.CONFLICT
        assert str(schema.VERSION + 1) in fault.message
        assert str(schema.VERSION) in fault.message
        assert fault.details["found"] == schema.VERSION + 1
    assert database.read_bytes() == before


def test_a_database_of_another_program_is_a_conflict_and_keeps_its_tables(tmp_path: Path) -> None:
    file = tmp_path / "places.sqlite"
    db = apsw.Connection(str(file))
    db.execute("CREATE TABLE bookmarks (url)")
    db.close()
    before = file.read_bytes()
    assert refusal(file).code is Code.CONFLICT
    assert refusal(file, read_only=True).code is Code.CONFLICT
    assert file.read_bytes() == before


def test_a_lock_of_another_process_ends_in_a_timeout_with_a_fix(database: Path) -> None:
    with Memory.open(database) as memory:
        remember(memory, "before")
    holder = apsw.Connection(str(database))
    holder.execute("BEGIN IMMEDIATE")
    try:
        with Memory.open(database, busy_timeout=0.2) as memory:
            with pytest.raises(Fault, match="locked") as caught:
                remember(memory, "during")
            assert caught.value.code is Code.TIMEOUT
            assert caught.value.help
            assert memory.search("before").hits, "readers do not wait for a writer"
            holder.execute("ROLLBACK")
            assert remember(memory, "after")
    finally:
        holder.close()


def test_the_write_ahead_log_of_a_killed_process_is_recovered(database: Path) -> None:
    script = (
        "import os, signal, sys; from pathlib import Path; from aurora.memory import Memory\n"
        "m = Memory.open(Path(sys.argv[1]))\n"
        "m.remember(type='reas', kind='pattern', symbol='s', text='written before the kill', metadata={})\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, "-c", script, str(database)], check=False)
    assert done.returncode == -9
    assert database.with_name("memory.db-wal").stat().st_size > 0
    with Memory.open(database, read_only=True) as memory:
        assert memory.search("kill").hits
    with Memory.open(database) as memory:
        assert memory.search("kill").hits


def test_eight_threads_share_one_memory(memory: Memory) -> None:
    def work(i: int) -> tuple[str, bool]:
        written = memory.remember(type="reas", kind="pattern", symbol="s", text=f"number {i % 20}", metadata={})
        assert memory.search(f"number {i % 20}").hits
        return written

    with ThreadPoolExecutor(8) as threads:
        results = list(threads.map(work, range(80)))
    assert sum(created for _, created in results) == 20
    assert memory.stats().chunks["reas"] == 20


def test_four_processes_create_the_same_database_at_once(database: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from aurora.memory import Memory\n"
        "with Memory.open(Path(sys.argv[1])) as m:\n"
        "    m.remember(type='reas', kind='pattern', symbol='s', text=sys.argv[2], metadata={})\n"
    )
    running = [
        subprocess.Popen([sys.executable, "-c", script, str(database), f"by process {i}"], stderr=subprocess.PIPE)
        for i in range(4)
    ]
    complaints = [process.communicate()[1].decode() for process in running]
    assert complaints == [""] * 4
    with Memory.open(database, read_only=True) as memory:
        assert memory.stats().chunks["reas"] == 4


def test_a_closed_memory_says_so_and_may_be_closed_again(database: Path) -> None:
    memory = Memory.open(database)
    memory.close()
    memory.close()
    with pytest.raises(Fault, match="closed"):
        memory.stats()


@pytest.mark.parametrize("how", ["moved", "deleted", "replaced"])
def test_a_database_moved_away_under_an_open_memory_is_created_again_and_the_old_one_is_unchanged(
    database: Path, how: str
) -> None:
    aside = database.with_name("memory.db.bad")
    with Memory.open(database) as memory:
        old = remember(memory, "in the first file")
        assert memory.search("first file").hits
        with Memory.open(aside.with_name("other.db")) as other:
            replaced = remember(other, "in the other file")
        for name in ("memory.db", "memory.db-wal", "memory.db-shm"):
            database.with_name(name).rename(database.with_name(name.replace("memory.db", "memory.db.bad")))
        if how == "deleted":
            aside.unlink()
        if how == "replaced":
            aside.with_name("other.db").rename(database)
        assert memory.find_missing([old]) == (old,)
        assert bool(memory.get([replaced])) is (how == "replaced")
        new = remember(memory, "in the second file")
        assert [hit.chunk.id for hit in memory.search("second").hits] == [new]
        assert all(hit.chunk.id != old for hit in memory.search("in the first file").hits)
    with Memory.open(database) as memory:
        assert memory.find_missing([new, old]) == (old,)
    if how == "moved":
        with Memory.open(aside) as memory:
            assert memory.find_missing([new, old]) == (new,)


def test_a_transaction_that_writes_no_row_counts_as_no_change_of_a_cancelled_call(database: Path) -> None:
    with Memory.open(database) as memory:
        scope = CancelScope()
        with scope.activate(), memory.store.begin_write():
            pass
        unchanged = scope.changes
        with scope.activate(), memory.store.begin_write() as db:
            db.meta.update(indexed_at="now")

        assert (unchanged, scope.changes) == (0, 1)


def test_a_memory_that_others_create_at_the_same_moment_is_never_called_damaged(tmp_path: Path) -> None:
    def open_together(database: Path, together: threading.Barrier) -> int:
        together.wait()
        with Memory.open(database) as memory:
            return memory.store.schema_version

    for n in range(30):
        together = threading.Barrier(6)
        with ThreadPoolExecutor(6) as pool:
            found = [pool.submit(open_together, tmp_path / f"{n}/.aurora/memory.db", together) for _ in range(6)]
        assert [each.result() for each in found] == [schema.VERSION] * 6
