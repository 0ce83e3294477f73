"""Files and folders without write permission, for a user without privileges."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from aurora.memory import Memory

if TYPE_CHECKING:
    from collections.abc import Iterator

NOBODY = 65534

# Root may write everywhere, so a process of root switches to the user nobody. It first loads all modules with a
# database of its own, since nobody may have no permission to read Python's folder.
_SCRIPT = """
import os, sys, tempfile
from pathlib import Path
from aurora.errors import Fault
from aurora.memory import Memory

def use(database, read_only):
    try:
        with Memory.open(database, read_only=read_only) as memory:
            print("found", len(memory.search("quiet").hits))
            memory.remember(type="reas", kind="pattern", symbol="s", text="new", metadata={})
    except Fault as fault:
        print(fault.code.value, fault.message, "|", fault.help)

with tempfile.TemporaryDirectory() as own:
    for read_only in (False, True):
        use(Path(own) / "memory.db", read_only)
print("begin")
if os.geteuid() == 0:
    os.setgroups([])
    os.setgid(int(sys.argv[3]))
    os.setuid(int(sys.argv[3]))
use(Path(sys.argv[1]), sys.argv[2] == "read")
"""


def ask_as_nobody(database: Path, how: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", _SCRIPT, str(database), how, str(NOBODY)], capture_output=True, text=True, check=False
    )
    assert not done.stderr
    return done.stdout.partition("begin\n")[2].splitlines()


@pytest.fixture
def shut_folder() -> Iterator[Path]:
    # pytest's own temporary folders are closed to other users
    folder = Path(tempfile.mkdtemp())
    with Memory.open(folder / "memory.db") as memory:
        memory.remember(type="reas", kind="pattern", symbol="s", text="a quiet place", metadata={})
    yield folder
    folder.chmod(0o755)
    shutil.rmtree(folder)


def test_a_database_in_a_read_only_folder_can_be_searched_but_not_written(shut_folder: Path) -> None:
    (shut_folder / "memory.db").chmod(0o444)
    shut_folder.chmod(0o555)
    before = sorted(shut_folder.iterdir())
    for how in ("read", "write"):
        found, refused = ask_as_nobody(shut_folder / "memory.db", how)
        assert found == "found 1"
        assert refused.startswith("FORBIDDEN")
        assert str(shut_folder / "memory.db") in refused
    assert sorted(shut_folder.iterdir()) == before


def test_an_unreadable_database_is_rejected_by_name(shut_folder: Path) -> None:
    (shut_folder / "memory.db").chmod(0o000)
    shut_folder.chmod(0o555)
    for how in ("read", "write"):
        (refused,) = ask_as_nobody(shut_folder / "memory.db", how)
        assert refused.startswith("FORBIDDEN")


def test_a_database_in_a_read_only_folder_is_not_created_and_the_fix_is_named(shut_folder: Path) -> None:
    shut_folder.chmod(0o555)
    (refused,) = ask_as_nobody(shut_folder / ".aurora" / "memory.db", "write")
    assert refused.startswith("FORBIDDEN")
    assert "AURORA_DB" in refused
