"""Records can be forgotten, and undo restores them exactly."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from aurora.errors import Code, Fault
from aurora.memory.records import records as exchange_records
from aurora.memory.records import undo
from aurora.memory.records.edits import forget_records

if TYPE_CHECKING:
    from pathlib import Path

    from aurora.memory import Memory


def keep(memory: Memory, text: str, **metadata: object) -> str:
    return memory.remember(type="know", kind="fact", symbol=text, text=text, metadata=metadata)[0]


def held(memory: Memory) -> tuple[exchange_records.StoredRecord, ...]:
    with memory.store.begin_read() as db:
        return exchange_records.read_records(db)


def test_a_forgotten_record_is_not_found_and_undo_restores_it_exactly(memory: Memory) -> None:
    walrus, zebra = keep(memory, "walrus tusks", tags=["a"]), keep(memory, "zebra stripes")
    memory.record_use([walrus])
    before = held(memory)
    assert [one.chunk.id for one in forget_records(memory.store, [walrus, walrus])] == [walrus]
    assert [hit.chunk.id for hit in memory.search("walrus tusks").hits if hit.chunk.id == walrus] == []
    assert [one.chunk.id for one in held(memory)] == [zebra]
    done = undo.undo_last(memory.store)
    assert (done.action, done.restored_count, done.removed_count) == ("forget", 1, 0)
    assert held(memory) == before
    assert memory.search("walrus tusks").hits[0].chunk.id == walrus
    assert memory.stats().vectors == 2


def test_changes_are_undone_one_after_the_other(memory: Memory) -> None:
    one, two = keep(memory, "alpha"), keep(memory, "beta")
    before = held(memory)
    forget_records(memory.store, [one])
    forget_records(memory.store, [two])
    undo.undo_last(memory.store)
    assert [each.chunk.id for each in held(memory)] == [two]
    undo.undo_last(memory.store)
    assert held(memory) == before
    with pytest.raises(Fault, match="nothing to undo") as caught:
        undo.undo_last(memory.store)
    assert caught.value.code is Code.NOT_FOUND


def test_a_record_added_again_after_forget_is_one_record_after_undo(memory: Memory) -> None:
    id_ = keep(memory, "alpha", tags=["first"])
    before = held(memory)
    forget_records(memory.store, [id_])
    keep(memory, "alpha", tags=["second"])
    memory.record_use([id_])
    undo.undo_last(memory.store)
    (now,) = held(memory)
    assert (now.chunk, now.at) == (before[0].chunk, before[0].at)
    assert len(now.accesses) == 1


def test_only_the_latest_changes_can_be_undone(memory: Memory) -> None:
    for n in range(undo.MAX_UNDO_ENTRIES + 3):
        forget_records(memory.store, [keep(memory, f"fact {n}")])
    for _ in range(undo.MAX_UNDO_ENTRIES):
        undo.undo_last(memory.store)
    assert {one.chunk.text for one in held(memory)} == {f"fact {n}" for n in range(3, undo.MAX_UNDO_ENTRIES + 3)}


def test_forget_removes_all_records_or_none(memory: Memory) -> None:
    one = keep(memory, "alpha")
    with pytest.raises(Fault, match='there is no record "know:nothing"; nothing was forgotten') as caught:
        forget_records(memory.store, [one, "know:nothing"])
    assert caught.value.code is Code.NOT_FOUND
    assert [each.chunk.id for each in held(memory)] == [one]


def test_a_chunk_of_a_file_is_not_forgotten_and_the_fix_is_to_edit_the_file(memory: Memory, library: Path) -> None:
    memory.index(library)
    chunk = memory.search("JSONDecoder").hits[0].chunk
    with pytest.raises(Fault, match=f'comes from the file "{chunk.path}"') as caught:
        forget_records(memory.store, [chunk.id])
    assert caught.value.code is Code.CONFLICT
    assert ".auroraignore" in caught.value.help
    assert memory.get([chunk.id])
