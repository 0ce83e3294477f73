"""A file of gigabytes that a clone brings is read in blocks: memory is bounded, and 2 GiB is no limit."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the memory of a process is read from /proc")

MIB = 1024 * 1024
MAX_RESIDENT = 250 * 1024
"""KiB of memory that a process with numpy may use; each of the files is larger."""
KILLED = """
import os, signal, sys
from pathlib import Path
from aurora.memory import Memory
memory = Memory.open(Path(sys.argv[1]))
memory.remember(type="know", kind="fact", symbol="logged", text="kettles sing", metadata={})
os.kill(os.getpid(), signal.SIGKILL)
"""
CLOSE = "import sys; from pathlib import Path; from aurora.memory import Memory; Memory.open(Path(sys.argv[1])).close()"
READ = r"""
import re, sys
from pathlib import Path
from aurora.memory import Memory
from aurora.memory.maintenance import check_memory
database = Path(sys.argv[1])
with Memory.open(database, read_only=True) as memory:
    print([chunk.symbol for chunk in memory.iter_chunks()])
print([finding for finding in check_memory(database) if not finding.unfinished])
print(re.search(r"VmHWM:\s*(\d+) kB", Path("/proc/self/status").read_text())[1])
"""
REPAIR = r"""
import re, sys
from pathlib import Path
from aurora.memory.indexing.run import ignore_progress
from aurora.memory.maintenance import repair_memory
database = Path(sys.argv[1])
done = repair_memory(database, database.parent, ignore_progress)
print(done.remaining)
print(done.saved["chunks"])
print(re.search(r"VmHWM:\s*(\d+) kB", Path("/proc/self/status").read_text())[1])
"""


def run(program: str, database: Path) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", program, str(database)], capture_output=True, text=True, check=False, timeout=120
    )
    assert done.stderr == ""
    return done.stdout.splitlines()


@pytest.fixture
def killed(tmp_path: Path) -> Path:
    """A memory of a killed process: its log has a fact, and the index of the log is missing."""
    database = tmp_path / "project" / "memory.db"
    done = subprocess.run([sys.executable, "-c", KILLED, str(database)], check=False)
    assert done.returncode == -signal.SIGKILL
    database.with_name("memory.db-shm").unlink()
    return database


@pytest.mark.parametrize("size", [700 * MIB, 2200 * MIB])
def test_a_sparse_database_with_a_log_is_read_with_little_memory(killed: Path, size: int) -> None:
    os.truncate(killed, size)
    before = {path.name: path.stat() for path in killed.parent.iterdir()}
    symbols, findings, resident = run(READ, killed)
    assert (symbols, findings) == ("['logged']", "[]")
    assert int(resident) < MAX_RESIDENT
    assert {path.name: path.stat().st_mtime_ns for path in killed.parent.iterdir()} == {
        name: state.st_mtime_ns for name, state in before.items()
    }


def test_a_sparse_log_is_read_with_little_memory(killed: Path) -> None:
    os.truncate(killed.with_name("memory.db-wal"), 700 * MIB)
    symbols, _, resident = run(READ, killed)
    assert symbols == "['logged']"
    assert int(resident) < MAX_RESIDENT


def test_a_journal_next_to_a_log_does_not_stop_a_reader(killed: Path) -> None:
    killed.with_name("memory.db-journal").write_bytes(b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" + bytes(504))
    symbols, findings, _ = run(READ, killed)
    assert (symbols, findings) == ("['logged']", "[]")


def test_a_damaged_sparse_database_is_repaired_with_little_memory(killed: Path) -> None:
    run(CLOSE, killed)
    with killed.open("r+b") as opened:
        for page in (5, 9):
            opened.seek((page - 1) * 4096)
            opened.write(b"\xa5" * 4096)
    os.truncate(killed, 400 * MIB)
    remaining, saved, resident = run(REPAIR, killed)
    assert (remaining, saved) == ("()", "1")
    assert int(resident) < MAX_RESIDENT
