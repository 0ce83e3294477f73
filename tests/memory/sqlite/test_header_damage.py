"""A damaged header of a memory is repaired, and a database of another program or a newer version is left as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import apsw
import pytest

from aurora.errors import Code, Fault
from aurora.memory import Memory
from aurora.memory.database import create_backup, restore_backup
from aurora.memory.indexing.run import ignore_progress
from aurora.memory.maintenance import check_memory, repair_memory
from aurora.memory.sqlite import schema

if TYPE_CHECKING:
    from pathlib import Path

APPLICATION_ID, USER_VERSION = 68, 60


@pytest.fixture
def filled(database: Path) -> Path:
    with Memory.open(database) as memory:
        memory.remember(type="know", kind="fact", symbol="kept", text="this fact stays", metadata={})
    return database


def write_bytes(database: Path, at: int, value: bytes) -> None:
    with database.open("rb+") as file:
        file.seek(at)
        file.write(value)


def read_symbols(database: Path) -> list[str]:
    with Memory.open(database) as memory:
        return [chunk.symbol for chunk in memory.iter_chunks()]


@pytest.mark.parametrize(
    ("at", "value", "why"),
    [
        (APPLICATION_ID, b"BURA", "the application id"),
        (APPLICATION_ID, bytes(4), "the application id"),
        (USER_VERSION, bytes(4), "the version"),
        (USER_VERSION, (schema.VERSION - 1).to_bytes(4, "big"), "the version"),
        (USER_VERSION, b"\x01\0\0\x05", "the version"),
        (USER_VERSION, b"\x80\0\0\x05", "the version"),
        (18, b"\x03", "the journal mode"),
    ],
)
def test_a_wrong_field_of_the_header_is_damage_and_a_repair_loses_nothing(
    filled: Path, at: int, value: bytes, why: str
) -> None:
    write_bytes(filled, at, value)

    with pytest.raises(Fault, match=f"{why} in its header is wrong") as refused:
        Memory.open(filled)
    (found,) = check_memory(filled)
    done = repair_memory(filled, filled.parent.parent, ignore_progress)

    assert (refused.value.code, found.part) == (Code.UPSTREAM_ERROR, "file")
    assert (done.lost, done.remaining) == ((), ())
    assert read_symbols(filled) == ["kept"]


def test_a_backup_replaces_a_memory_with_a_wrong_application_id(filled: Path) -> None:
    create_backup(filled)
    write_bytes(filled, APPLICATION_ID, b"BURA")

    done = restore_backup(filled)

    assert done.damaged_path is not None
    assert read_symbols(filled) == ["kept"]


def test_a_slightly_newer_version_is_left_as_it_is_and_the_message_says_both_remedies(filled: Path) -> None:
    write_bytes(filled, USER_VERSION, (schema.VERSION + 2).to_bytes(4, "big"))
    before = filled.read_bytes()

    with pytest.raises(Fault) as refused:
        repair_memory(filled, filled.parent.parent, ignore_progress)

    assert (refused.value.code, filled.read_bytes() == before) == (Code.CONFLICT, True)
    assert "nstall a newer Aurora" in refused.value.help
    assert "`aur mem restore`" in refused.value.help


def test_a_database_of_another_program_is_not_repaired(tmp_path: Path) -> None:
    database = tmp_path / "memory.db"
    db = apsw.Connection(str(database))
    db.execute("CREATE TABLE chunks (id); CREATE TABLE runs (run)")
    db.close()
    before = database.read_bytes()

    with pytest.raises(Fault, match="database of another program"):
        repair_memory(database, tmp_path, ignore_progress)

    assert database.read_bytes() == before
