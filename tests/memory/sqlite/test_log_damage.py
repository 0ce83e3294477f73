"""A damaged write-ahead log is reported before SQLite ignores what is in it, and what is intact in it is saved."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from aurora.faults import Code, Fault
from aurora.memory import Memory
from aurora.memory.indexing import ignore_progress
from aurora.memory.maintenance import check_memory, repair_memory

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

FRAME = 24 + 4096
FACTS = 8


def copy_killed(living: Path, to: Path) -> Path:
    """Copy the files of an open memory, as a killed process leaves them."""
    to.parent.mkdir(parents=True)
    for ending in ("", "-wal"):
        shutil.copyfile(f"{living}{ending}", f"{to}{ending}")
    return to


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A memory whose facts are in the log only."""
    folder = tmp_path_factory.mktemp("killed")
    with Memory.open(folder / "living" / "memory.db") as memory:
        for number in range(FACTS):
            text = f"the fact number {number}"
            memory.remember(type="know", kind="fact", symbol=f"fact {number}", text=text, metadata={})
        return copy_killed(memory.path, folder / "killed" / "memory.db")


@pytest.fixture
def database(killed: Path, tmp_path: Path) -> Path:
    return copy_killed(killed, tmp_path / ".aurora" / "memory.db")


def damage(database: Path, change: Callable[[bytearray], object]) -> None:
    log = database.with_name("memory.db-wal")
    body = bytearray(log.read_bytes())
    change(body)
    log.write_bytes(body)


def read_symbols(database: Path) -> set[str]:
    with Memory.open(database) as memory:
        return {chunk.symbol for chunk in memory.iter_chunks()}


def flip(at: int) -> Callable[[bytearray], object]:
    return lambda body: body.__setitem__(at, body[at] ^ 1)


def test_an_intact_log_of_a_killed_process_is_no_finding(database: Path) -> None:
    assert [finding for finding in check_memory(database) if finding.part == "file"] == []
    assert len(read_symbols(database)) == FACTS


@pytest.mark.parametrize(
    ("at", "why"),
    [
        pytest.param(9, "the header of its log is damaged", id="page size"),
        pytest.param(20, "the header of its log is damaged", id="salt"),
        pytest.param(32 + 3 * FRAME + 16, "frames in its log are damaged", id="checksum of a frame"),
        pytest.param(32 + 3 * FRAME + 9, "frames in its log are damaged", id="salt of a frame"),
        pytest.param(32 + 3 * FRAME + 3000, "frames in its log are damaged", id="page in a frame"),
    ],
)
def test_a_flipped_byte_before_the_last_transaction_is_an_error_and_repair_reads_the_frames_behind_it(
    database: Path, at: int, why: str
) -> None:
    damage(database, flip(at))
    before = database.read_bytes()

    (found,) = check_memory(database)
    with pytest.raises(Fault, match=why) as refused:
        Memory.open(database)
    kept = database.read_bytes()
    done = repair_memory(database, database.parent.parent, ignore_progress)

    assert (found.part, found.remedy, why in found.message) == ("file", "aur mem repair", True)
    assert (refused.value.code, kept == before) == (Code.UPSTREAM_ERROR, True)
    assert (done.remaining, done.lost) == ((), ())
    assert len(read_symbols(database)) == FACTS


def test_a_damaged_end_of_the_log_is_reported_as_perhaps_a_kill_and_the_next_write_drops_it(database: Path) -> None:
    damage(database, lambda body: body.__delitem__(slice(-100, None)))

    (found, *_) = check_memory(database)
    assert found.unfinished
    assert "the end of the log is incomplete or damaged" in found.message
    assert len(read_symbols(database)) == FACTS - 1
    assert [finding for finding in check_memory(database) if finding.part == "file"] == []


@pytest.mark.parametrize("body", [b"\xa5" * 40_000, b"some notes of mine\n" * 3000])
def test_a_log_of_noise_is_an_error_and_its_loss_is_named(database: Path, body: bytes) -> None:
    database.with_name("memory.db-wal").write_bytes(body)

    with pytest.raises(Fault, match="the header of its log is damaged"):
        Memory.open(database)
    done = repair_memory(database, database.parent.parent, ignore_progress)

    assert "the changes in the log, which is damaged as a whole" in done.lost
    assert done.remaining == ()


def test_the_log_of_another_database_is_found_and_is_left_out_of_the_repair(killed: Path, tmp_path: Path) -> None:
    database = tmp_path / ".aurora" / "memory.db"
    with Memory.open(database) as memory:
        for number in range(60):
            text = f"the own fact number {number} " + "with many words " * 60
            memory.remember(type="know", kind="fact", symbol=f"own {number}", text=text, metadata={})
    shutil.copyfile(killed.with_name("memory.db-wal"), database.with_name("memory.db-wal"))

    (found, *_) = check_memory(database)
    done = repair_memory(database, database.parent.parent, ignore_progress)

    assert (found.part, found.remedy) == ("file", "aur mem repair")
    assert "the changes in the log: it belongs to another database" in done.lost
    assert read_symbols(database) == {f"own {number}" for number in range(60)}
