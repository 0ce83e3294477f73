"""A backup is the whole memory, and restoring leaves the old state or the new one."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING

import apsw
import pytest

from aurora.errors import Code, Fault
from aurora.memory import Memory
from aurora.memory.database import restore_backup
from aurora.memory.sqlite import schema
from aurora.memory.sqlite.backup import backup

if TYPE_CHECKING:
    from pathlib import Path

_BEGIN = "import sys; from pathlib import Path; "
RESTORE = _BEGIN + "from aurora.memory.database import restore_backup; restore_backup(Path(sys.argv[1]), sys.argv[2])"
BACKUP = _BEGIN + "from aurora.memory.database import create_backup; create_backup(Path(sys.argv[1]))"


def keep(memory: Memory, *texts: str) -> None:
    for text in texts:
        memory.remember(type="reas", kind="pattern", symbol=text, text=text, metadata={})


def symbols(memory: Memory) -> set[str]:
    return {chunk.symbol for chunk in memory.iter_chunks()}


def test_a_restore_can_be_undone_with_the_backup_it_makes(memory: Memory) -> None:
    keep(memory, "alpha")
    made = backup.create_backup(memory.path)
    keep(memory, "beta")
    done = restore_backup(memory.path, made.name)
    assert symbols(memory) == {"alpha"}
    assert done.previous_backup is not None
    assert [each.name for each in backup.list_backups(memory.path)] == [done.previous_backup.name, made.name]
    restore_backup(memory.path)
    assert symbols(memory) == {"alpha", "beta"}


def test_an_open_memory_notices_a_restore_and_searches_the_new_content(memory: Memory) -> None:
    keep(memory, "walrus tusks")
    made = backup.create_backup(memory.path)
    keep(memory, "giraffe necks")
    with Memory.open(memory.path) as other:
        other.warm_up()
        assert other.search("giraffe").hits[0].chunk.symbol == "giraffe necks"
        restore_backup(memory.path, made.name)
        keep(memory, "zebra stripes")  # takes the number that the giraffe had
        assert [hit.chunk.symbol for hit in other.search("zebra stripes", limit=1).hits] == ["zebra stripes"]
        assert "giraffe necks" not in {hit.chunk.symbol for hit in other.search("giraffe necks").hits}


def test_a_damaged_database_is_moved_away_byte_for_byte(memory: Memory) -> None:
    keep(memory, "alpha")
    made = backup.create_backup(memory.path)
    memory.close()
    broken = memory.path.read_bytes()[:5000]
    memory.path.write_bytes(broken)
    done = restore_backup(memory.path, made.name)
    assert done.damaged_path is not None
    assert done.damaged_path.read_bytes() == broken
    with Memory.open(memory.path) as opened:
        assert symbols(opened) == {"alpha"}


def test_a_deleted_database_is_restored(memory: Memory) -> None:
    keep(memory, "alpha")
    backup.create_backup(memory.path)
    memory.close()
    memory.path.unlink()
    assert restore_backup(memory.path).damaged_path is None
    with Memory.open(memory.path) as opened:
        assert symbols(opened) == {"alpha"}


def test_only_automatic_backups_are_deleted_when_there_are_many(memory: Memory) -> None:
    keep(memory, "alpha")
    asked = [backup.create_backup(memory.path).name for _ in range(2)]
    made = [
        backup.create_backup(memory.path, reason="before-import").name for _ in range(backup.MAX_AUTOMATIC_BACKUPS + 3)
    ]
    left = [each.name for each in backup.list_backups(memory.path)]
    assert set(left) == {*asked, *made[3:]}


def test_a_backup_of_a_missing_memory_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(Fault, match="there is no memory at") as caught:
        backup.create_backup(tmp_path / ".aurora" / "memory.db")
    assert caught.value.code is Code.NOT_FOUND
    assert not list(tmp_path.iterdir())


def test_an_unknown_backup_is_rejected_with_the_existing_names(memory: Memory) -> None:
    keep(memory, "alpha")
    made = backup.create_backup(memory.path)
    with pytest.raises(Fault, match='there is no backup "yesterday"') as caught:
        restore_backup(memory.path, "yesterday")
    assert caught.value.details["choices"] == [made.name]


@pytest.mark.parametrize("harm", ["cut", "overwritten", "newer"])
def test_an_unusable_backup_changes_nothing(memory: Memory, harm: str) -> None:
    keep(memory, "alpha")
    made = backup.create_backup(memory.path)
    keep(memory, "beta")
    body = made.path.read_bytes()
    if harm == "cut":
        made.path.write_bytes(body[: len(body) // 2])
    elif harm == "overwritten":
        made.path.write_bytes(body[:4096] + os.urandom(len(body) - 4096))
    else:
        db = apsw.Connection(str(made.path))
        db.pragma("user_version", schema.VERSION + 1)
        db.close()
    with pytest.raises(Fault) as caught:
        restore_backup(memory.path, made.name)
    assert caught.value.code in {Code.UPSTREAM_ERROR, Code.CONFLICT}
    assert f'the backup "{made.name}" ' in caught.value.message
    assert "nothing was changed" in caught.value.message
    assert "aur mem backups" in caught.value.help
    assert "repair" not in caught.value.help
    assert symbols(memory) == {"alpha", "beta"}
    assert len(backup.list_backups(memory.path)) == 1


def test_a_backup_of_an_open_memory_contains_the_content_of_its_log(memory: Memory) -> None:
    keep(memory, "alpha")
    assert memory.path.with_name("memory.db-wal").stat().st_size
    made = backup.create_backup(memory.path)
    with Memory.open(made.path, read_only=True) as opened:
        assert symbols(opened) == {"alpha"}


@pytest.mark.parametrize("program", [BACKUP, RESTORE], ids=["backup", "restore"])
def test_a_kill_at_any_moment_leaves_one_intact_state(memory: Memory, library: Path, program: str) -> None:
    memory.index(library)
    keep(memory, "alpha")
    made = backup.create_backup(memory.path)
    keep(memory, "beta")
    whole = _seconds(program, memory.path, made.name)
    restore_backup(memory.path)  # back to alpha and beta
    draw = random.Random(11)  # noqa: S311 - moments, not secrets
    seen = set()
    for _ in range(int(os.environ.get("AURORA_KILLS", "12"))):
        running = subprocess.Popen([sys.executable, "-c", program, str(memory.path), made.name])
        time.sleep(draw.uniform(whole * 0.4, whole))
        running.send_signal(signal.SIGKILL)
        running.wait()
        with Memory.open(memory.path) as opened:
            now = symbols(opened) & {"alpha", "beta"}
        seen.add(frozenset(now))
        assert "alpha" in now
        assert _quick_check(memory.path) == "ok"
        for each in backup.list_backups(memory.path):
            assert _quick_check(each.path) == "ok"
    assert seen <= {frozenset({"alpha"}), frozenset({"alpha", "beta"})}


def _fill(path: Path) -> None:
    while True:
        backup.create_backup(path)


def _seconds(program: str, *arguments: object) -> float:
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", program, *map(str, arguments)], check=True)
    return time.perf_counter() - began


def _quick_check(path: Path) -> object:
    db = apsw.Connection(str(path), apsw.SQLITE_OPEN_READONLY)
    try:
        return db.pragma("quick_check")
    finally:
        db.close()


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0 or not shutil.which("mount"), reason="needs a small disk")
def test_a_full_disk_leaves_no_partial_backup(tmp_path: Path, library: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=9m", "tmpfs", str(disk)], check=False).returncode:
        pytest.skip("this machine mounts nothing")
    try:
        with Memory.open(disk / ".aurora" / "memory.db") as memory:
            memory.index(library)
            keep(memory, "alpha")
            with pytest.raises(Fault, match="no free disk space") as caught:
                _fill(memory.path)
            assert caught.value.code is Code.UPSTREAM_ERROR
            assert "alpha" in symbols(memory)
            assert [entry.suffix for entry in backup.get_backup_folder(memory.path).iterdir()].count(".partial") == 0
            assert all(_quick_check(each.path) == "ok" for each in backup.list_backups(memory.path))
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_what_is_written_during_a_restore_is_in_the_memory_or_in_a_backup(memory: Memory) -> None:
    made = backup.create_backup(memory.path)
    written: list[str] = []
    is_over = threading.Event()

    def write() -> None:
        with Memory.open(memory.path) as other:
            while not is_over.is_set():
                keep(other, name := f"record {len(written)}")
                written.append(name)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for _ in range(8):  # automatic backups are kept up to ten
            restore_backup(memory.path, made.name)
    finally:
        is_over.set()
        writer.join()

    kept = symbols(memory)
    for one in backup.list_backups(memory.path):
        with apsw.Connection(str(one.path), flags=apsw.SQLITE_OPEN_READONLY) as db:
            kept |= {str(symbol) for (symbol,) in db.execute("SELECT symbol FROM chunks")}
    assert len(written) > 8
    assert set(written) <= kept


def test_a_restore_counts_what_the_backup_does_not_have(memory: Memory) -> None:
    keep(memory, "alpha")
    made = backup.create_backup(memory.path)
    keep(memory, "beta", "gamma")
    assert restore_backup(memory.path, made.name).only_before == {"records": 2, "runs": 0}
    assert restore_backup(memory.path, made.name).only_before == {"records": 0, "runs": 0}
