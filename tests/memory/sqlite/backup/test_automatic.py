"""Facts, patterns and runs are backed up by themselves, at most every hour, and the old backups are thinned out."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import apsw
import pytest

from aurora.errors import Fault
from aurora.memory import Memory
from aurora.memory.database import list_backups, restore_backup
from aurora.memory.indexing.run import ignore_progress
from aurora.memory.maintenance import check_memory, repair_memory
from aurora.memory.sqlite.backup import automatic
from aurora.memory.sqlite.backup.automatic import HourlyBackup, choose_kept, finish_backups, make_hourly

if TYPE_CHECKING:
    from pathlib import Path

HOUR = 3600.0
NOW = datetime(2026, 11, 28, 12, tzinfo=UTC)
ADD = """
import sys
from pathlib import Path
from aurora.memory import Memory
from aurora.memory.sqlite.backup import automatic
automatic._INTERVAL = 0.0
with Memory.open(Path(sys.argv[1])) as memory:
    memory.remember(type="know", kind="fact", symbol="", text=sys.argv[2], metadata={})
print(flush=True)
automatic.finish_backups()
"""


class Clock:
    """Clock of the backups, which a test moves."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._ahead = 0.0
        monkeypatch.setattr(automatic, "_read_clock", self.read)

    def read(self) -> float:
        """Return the time in seconds since 1970."""
        return time.time() + self._ahead

    def move(self, hours: float) -> None:
        """Move the clock, and let the next commit look again."""
        self._ahead += hours * HOUR
        automatic._next_look.clear()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    automatic._next_look.clear()
    return Clock(monkeypatch)


def keep(database: Path, *texts: str) -> None:
    """Add facts, and end as a command does."""
    with Memory.open(database) as memory:
        for text in texts:
            memory.remember(type="know", kind="fact", symbol=text, text=text, metadata={})
    finish_backups()


def symbols(database: Path) -> set[str]:
    with closing(apsw.Connection(str(database), apsw.SQLITE_OPEN_READONLY)) as db:
        return {str(symbol) for (symbol,) in db.execute("SELECT symbol FROM chunks WHERE path IS NULL")}


def texts(database: Path) -> set[str]:
    with Memory.open(database, read_only=True) as memory:
        return {chunk.text for chunk in memory.iter_chunks()}


def test_a_change_is_backed_up_when_the_newest_backup_is_an_hour_old(database: Path, clock: Clock) -> None:
    Memory.open(database).close()
    finish_backups()
    assert list_backups(database) == (), "there is nothing yet"
    keep(database, "alpha")
    clock.move(0.5)
    keep(database, "beta")
    (made,) = list_backups(database)
    assert made.reason == "hourly"
    assert symbols(made.path) == {"alpha"}
    clock.move(0.6)
    keep(database, "gamma")
    assert symbols(automatic.list_hourly(database)[0].path) == {"alpha", "beta", "gamma"}


def test_indexing_alone_makes_no_backup_and_a_backup_has_no_code(database: Path, library: Path, clock: Clock) -> None:
    keep(database, "alpha")
    clock.move(2)
    with Memory.open(database) as memory:
        memory.index(library)
    finish_backups()
    (made,) = list_backups(database)
    assert made.size_bytes < database.stat().st_size / 4
    with Memory.open(database) as memory:
        automatic._next_look.clear()
        memory.journal.create("r1", "soar", {}, [("assess", {})])
    finish_backups()
    assert len(list_backups(database)) == 2


@pytest.mark.usefixtures("clock")
def test_an_hourly_backup_is_restored_by_its_name_and_its_facts_are_found(database: Path) -> None:
    keep(database, "walrus tusks", "zebra stripes")
    (made,) = list_backups(database)
    keep(database, "giraffe necks")
    restore_backup(database, made.name)
    with Memory.open(database) as memory:
        assert memory.search("zebra stripes").hits[0].chunk.symbol == "zebra stripes"
        assert {chunk.symbol for chunk in memory.iter_chunks()} == {"walrus tusks", "zebra stripes"}
    assert [finding for finding in check_memory(database) if not finding.unfinished] == []
    assert restore_backup(database).backup.reason == "before-restore"  # not the newest of all, which is hourly


def test_a_clock_that_is_set_back_neither_stops_the_backups_nor_deletes_the_newest(
    database: Path, clock: Clock
) -> None:
    keep(database, "alpha")
    for number in range(3):
        clock.move(2)
        keep(database, f"before {number}")
    clock.move(-24 * 400)
    keep(database, "in the past")
    newest = automatic.list_hourly(database)[0]
    assert symbols(newest.path) >= {"alpha", "before 2", "in the past"}
    for number in range(40):
        clock.move(1.5)
        keep(database, f"later {number}")
    newest = automatic.list_hourly(database)[0]
    assert "later 39" in symbols(newest.path)
    assert len(list_backups(database)) <= 24 + 7 + 4


def test_a_day_a_week_and_four_weeks_are_kept() -> None:
    made = [HourlyBackup(n, NOW - timedelta(hours=1000 - n), None) for n in range(1000, 0, -1)]  # type: ignore[arg-type]
    kept = choose_kept(made)
    ages = sorted((NOW - one.made_at).total_seconds() / HOUR for one in made if one.number in kept)
    assert ages[:24] == list(range(24))
    assert len([age for age in ages if age < 7 * 24]) >= 24 + 5
    assert max(ages) > 2 * 7 * 24
    assert len(kept) <= 24 + 7 + 4


def test_backups_that_a_clone_brought_are_neither_counted_nor_deleted(database: Path, clock: Clock) -> None:
    keep(database, "alpha", "beta")
    (own,) = list_backups(database)
    foreign = [
        database.parent / "backups" / f"{datetime.fromtimestamp(clock.read(), UTC) - timedelta(hours=n):%Y%m%d-%H%M%S}"
        f"-hourly-{1000 + n}.db"
        for n in range(40)
    ]
    for path in foreign:
        with closing(apsw.Connection(str(path))) as db:
            db.execute("CREATE TABLE chunks (evil)")
    clock.move(1.1)
    keep(database, "gamma")
    names = {one.path for one in list_backups(database)}
    assert names >= {own.path, *foreign}
    assert len(names) == 42
    made = next(iter(names - {own.path, *foreign}))
    assert symbols(made) == {"alpha", "beta", "gamma"}
    with pytest.raises(Fault, match="was not made by this account"):
        restore_backup(database, foreign[0].name)


def test_a_backup_killed_at_any_moment_leaves_whole_backups_and_no_rubbish(database: Path) -> None:
    with Memory.open(database) as memory:
        for number in range(300):
            memory.remember(type="know", kind="fact", symbol=str(number), text=f"fact {number}", metadata={})
    for attempt in range(int(os.environ.get("AURORA_KILLS", "8"))):
        command = [sys.executable, "-c", ADD, str(database), f"later {attempt}"]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as running:
            assert running.stdout is not None
            running.stdout.readline()
            time.sleep(attempt * 0.003)
            running.send_signal(signal.SIGKILL)
    for one in list_backups(database):
        with closing(apsw.Connection(str(one.path), apsw.SQLITE_OPEN_READONLY)) as db:
            assert db.pragma("quick_check") == "ok"
    subprocess.run([sys.executable, "-c", ADD, str(database), "the last"], check=True, capture_output=True)
    newest = automatic.list_hourly(database)[0]
    assert texts(newest.path) == texts(database)
    assert not list((database.parent / "backups").glob(".*"))


@pytest.mark.skipif(os.name != "posix", reason="limits of a process")
def test_a_full_disk_leaves_no_part_of_a_backup_and_the_call_succeeds(database: Path) -> None:
    with Memory.open(database) as memory:
        for number in range(300):
            memory.remember(type="know", kind="fact", symbol=str(number), text=f"fact {number} " * 50, metadata={})
    limited = ADD.replace(
        "automatic.finish_backups()",
        "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000)); automatic.finish_backups()",
    )
    done = subprocess.run(
        [sys.executable, "-c", limited, str(database), "one more"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0
    assert "the automatic backup was not made" in done.stderr
    assert list((database.parent / "backups").iterdir()) == []
    assert "one more" in texts(database)
    assert check_memory(database) == ()


def test_a_read_only_memory_and_a_damaged_one_get_no_backup(database: Path, clock: Clock) -> None:
    with Memory.open(database) as memory:
        memory.remember(type="know", kind="fact", symbol="alpha", text="alpha", metadata={})
    automatic._planned.clear()
    clock.move(2)
    with Memory.open(database, read_only=True) as memory:
        assert memory.search("alpha").hits
    finish_backups()
    with database.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xa5" * 4096 * 4)
    with pytest.raises(Fault):
        make_hourly(database)
    assert list_backups(database) == ()
    assert not [path for path in database.parent.rglob("*") if path.name.endswith(".partial")]


@pytest.mark.usefixtures("clock")
def test_a_repair_takes_the_facts_of_the_hourly_backup(database: Path) -> None:
    database.parent.parent.mkdir(exist_ok=True)
    keep(database, "alpha", "beta", "gamma")
    keep(database, "after the backup")
    with database.open("r+b") as file:
        file.write(b"\xa5" * 4096)
    done = repair_memory(database, database.parent.parent, ignore_progress)
    assert done.backup is not None
    assert done.backup.reason == "hourly"
    assert done.from_backup["chunks"] == 3
    assert done.lost == (f"what was written after {done.backup.made_at}: nothing of the file can be read",)
    assert symbols(database) == {"alpha", "beta", "gamma"}
