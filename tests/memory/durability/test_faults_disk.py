"""A disk that is full while indexing: a clear fault, a whole database, and an index that completes with room again."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from aurora.errors import Code, Fault
from aurora.memory import Memory
from aurora.memory.maintenance.check import check_memory
from aurora.memory.records.export import export_records

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SIZE = 9 << 20


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of a few megabytes."""
    if os.name != "posix" or os.geteuid() != 0 or not shutil.which("mount"):
        pytest.skip("needs a small disk, which only root may mount")
    place = tmp_path / "disk"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", str(place)]
    if subprocess.run(command, check=False, capture_output=True).returncode:
        pytest.skip("this machine mounts nothing")
    try:
        yield place
    finally:
        subprocess.run(["umount", str(place)], check=True)


@pytest.mark.parametrize("room", [300_000, 2_000_000])
def test_an_index_that_fills_the_disk_says_so_and_completes_once_there_is_room(
    disk: Path, library: Path, tmp_path: Path, room: int
) -> None:
    with Memory.open(tmp_path / "undisturbed.db") as elsewhere:
        elsewhere.index(library)
        whole = {chunk.id for chunk in elsewhere.iter_chunks()}
    database, ballast = disk / "memory.db", disk / "ballast"
    with Memory.open(database) as memory:
        memory.remember(type="know", kind="fact", symbol="", text="Keys rotate every ninety days.", metadata={})
        memory.journal.create("r1", "soar", {}, [("assess", {}), ("retrieve", {})])
        kept = export_records(memory.store).to_text()
        ballast.write_bytes(b"\0" * (shutil.disk_usage(disk).free - room))
        with pytest.raises(Fault, match="no free disk space") as caught:
            memory.index(library)
        assert caught.value.code is Code.UPSTREAM_ERROR
        assert caught.value.help
        assert memory.search("how often do keys rotate").hits
        assert [each for each in check_memory(database) if not each.unfinished] == []
    with Memory.open(database, read_only=True) as memory:  # also for who opens it now, the disk still full
        assert export_records(memory.store).to_text() == kept
    ballast.unlink()
    with Memory.open(database) as memory:
        memory.index(library)
        assert {chunk.id for chunk in memory.iter_chunks() if chunk.path} == whole
        assert export_records(memory.store).to_text() == kept
    assert check_memory(database) == ()


def test_a_memory_that_cannot_be_opened_on_a_full_disk_says_so_and_is_read_read_only(disk: Path) -> None:
    database, ballast = disk / "memory.db", disk / "ballast"
    with Memory.open(database) as memory:
        memory.remember(type="know", kind="fact", symbol="", text="Keys rotate every ninety days.", metadata={})
    ballast.write_bytes(b"\0" * shutil.disk_usage(disk).free)

    with pytest.raises(Fault, match="no free disk space") as caught, Memory.open(database) as memory:
        memory.search("keys")

    assert "--read-only" in caught.value.help
    with Memory.open(database, read_only=True) as memory:
        assert memory.search("how often do keys rotate").hits
