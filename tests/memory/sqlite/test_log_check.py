"""The check of a short log without numpy judges as the check with it does."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from contextlib import closing
from typing import TYPE_CHECKING

import apsw
import pytest

from aurora.memory import Memory
from aurora.memory.sqlite.file.log import find_log_damage
from aurora.memory.sqlite.file.log_check import MAX_FRAMES, is_short_and_intact

if TYPE_CHECKING:
    from pathlib import Path

FRAME = 24 + 4096


def copy_killed(living: Path, to: Path) -> Path:
    """Copy the files of an open memory, as a killed process leaves them."""
    to.parent.mkdir(parents=True, exist_ok=True)
    for ending in ("", "-wal"):
        shutil.copyfile(f"{living}{ending}", f"{to}{ending}")
    return to


def remember(memory: Memory, numbers: range) -> None:
    for number in numbers:
        memory.remember(type="know", kind="fact", symbol=f"fact {number}", text=f"the fact {number}", metadata={})


@pytest.fixture(scope="module", params=["one generation", "a second generation before old frames"])
def killed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("killed")
    with Memory.open(folder / "living" / "memory.db") as memory:
        remember(memory, range(8))
        if "second" in request.param:
            with closing(apsw.Connection(str(memory.path))) as other:
                other.execute("PRAGMA wal_checkpoint(RESTART)").fetchall()
            remember(memory, range(8, 10))
        return copy_killed(memory.path, folder / "killed" / "memory.db")


def test_an_intact_log_is_intact(killed: Path, tmp_path: Path) -> None:
    database = copy_killed(killed, tmp_path / "memory.db")
    assert is_short_and_intact(database)
    assert find_log_damage(database) is None


def test_no_damage_counts_as_intact(killed: Path, tmp_path: Path) -> None:
    """Each byte of the first frames' headers, and others at random, is flipped; each end is cut off."""
    database = copy_killed(killed, tmp_path / "memory.db")
    log = database.with_name("memory.db-wal")
    whole = log.read_bytes()
    chance = random.Random(7)  # noqa: S311 - no secret
    places = {*range(32), *(32 + frame * FRAME + at for frame in (0, 1, 5) for at in range(24))}
    places |= {chance.randrange(len(whole)) for _ in range(150)}
    judged = set()
    for place in sorted(places):
        body = bytearray(whole)
        body[place] ^= 1
        log.write_bytes(body)
        judged.add((is_short_and_intact(database), find_log_damage(database) is None))
    for length in (0, 5, 31, 32, 40, 32 + 23, 32 + 24, 32 + FRAME - 1, 32 + 3 * FRAME, 32 + 3 * FRAME + 30):
        log.write_bytes(whole[:length])
        judged.add((is_short_and_intact(database), find_log_damage(database) is None))
    assert (True, False) not in judged
    assert {(True, True), (False, False)} <= judged


def test_the_log_of_another_database_is_not_intact(tmp_path: Path) -> None:
    living = tmp_path / "living" / "memory.db"
    with Memory.open(living) as memory, closing(apsw.Connection(str(living))) as other:
        remember(memory, range(3))
        other.execute("CREATE TABLE extra (body)")  # which changes the first page
        database = copy_killed(living, tmp_path / "memory.db")
    assert is_short_and_intact(database)
    body = bytearray(database.read_bytes())
    body[24:28] = (1_000_000).to_bytes(4, "big")  # the change counter
    database.write_bytes(body)
    assert not is_short_and_intact(database)
    assert find_log_damage(database) is not None


def test_a_long_log_is_left_to_numpy(tmp_path: Path) -> None:
    with (
        Memory.open(tmp_path / "living" / "memory.db") as memory,
        closing(apsw.Connection(str(memory.path))) as other,
    ):
        other.execute("PRAGMA wal_autocheckpoint = 0")
        other.execute("CREATE TABLE extra (body)")
        other.execute("INSERT INTO extra VALUES (zeroblob(?))", (MAX_FRAMES * 4096,))
        database = copy_killed(memory.path, tmp_path / "killed" / "memory.db")
    assert not is_short_and_intact(database)
    assert find_log_damage(database) is None


@pytest.mark.parametrize("read_only", [False, True])
def test_a_memory_that_another_process_has_open_is_opened_without_numpy(tmp_path: Path, *, read_only: bool) -> None:
    program = (
        "import sys\nfrom pathlib import Path\nfrom aurora.memory import Memory\n"
        f"with Memory.open(Path(sys.argv[1]), read_only={read_only}) as memory:\n"
        "    memory.journal.runs(1)\n    print('numpy' in sys.modules)"
    )
    with Memory.open(tmp_path / "memory.db") as memory:
        remember(memory, range(3))
        assert os.path.getsize(f"{memory.path}-wal") > FRAME  # noqa: PTH202 - no object is needed
        command = [sys.executable, "-c", program, str(memory.path)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "False\n"), done.stderr
