"""The files of a memory are for their owner only, whatever the umask says."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from aurora.errors import Code, Fault
from aurora.memory import Memory
from aurora.memory.database import create_backup
from aurora.memory.indexing.run import ignore_progress
from aurora.memory.maintenance import repair_memory

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def _umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


def list_modes(folder: Path) -> dict[str, str]:
    return {path.name: oct(stat.S_IMODE(path.stat().st_mode)) for path in folder.rglob("*") if path.is_file()}


def test_a_new_memory_with_its_log_backups_and_set_aside_files_is_private(database: Path) -> None:
    with Memory.open(database) as memory:
        memory.remember(type="know", kind="fact", symbol="s", text="text", metadata={})
        create_backup(database)
        modes = list_modes(database.parent)
    body = bytearray(database.read_bytes())
    body[16:40] = bytes(24)
    database.write_bytes(body)
    repair_memory(database, database.parent.parent, ignore_progress)
    modes |= list_modes(database.parent)

    assert modes.pop(".gitignore") == "0o666", "the ignore rules belong to the repository"
    assert {"memory.db", "memory.db-wal", "memory.db-shm"} < set(modes)
    assert any("damaged" in name for name in modes)
    assert set(modes.values()) == {"0o600"}


@pytest.mark.parametrize("kind", ["a device", "a pipe", "a program"])
def test_what_is_no_memory_keeps_its_rights_and_is_refused(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "other"
    if kind == "a program":
        path.write_bytes(b"#!/bin/sh\necho\n" * 1000)
        path.chmod(0o755)
    elif kind == "a pipe":
        os.mkfifo(path, 0o666)
    else:
        path = Path("/dev/null")
        if not stat.S_IMODE(path.stat().st_mode) & 0o066:
            pytest.skip("the device is not open to others here")
    before = path.stat()

    for act in (Memory.open, create_backup, lambda path: repair_memory(path, tmp_path, ignore_progress)):
        with pytest.raises(Fault) as refused:
            act(path)
        assert refused.value.code is Code.INVALID_INPUT
        assert "AURORA_DB" in f"{refused.value.message} {refused.value.help}"

    assert path.stat().st_mode == before.st_mode
    assert sorted(tmp_path.iterdir()) == ([] if kind == "a device" else [path])
