from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from aurora.errors import Code, Fault
from aurora.memory import Memory
from aurora.memory.records.records import read_records

if TYPE_CHECKING:
    from pathlib import Path


def test_the_same_record_twice_is_stored_once_with_the_same_id(memory: Memory) -> None:
    record = {"kind": "pattern", "symbol": "Retry", "text": "Retry twice, then ask."}
    first, created = memory.remember(type="reas", **record, metadata={"score": 0.9})
    again, created_again = memory.remember(
        type="reas", **{**record, "text": "Retry twice,\r\n then ask. "}, metadata={"score": 0.1}
    )
    assert first == again
    assert first.startswith("reas:")
    assert (created, created_again) == (True, False)
    (chunk,) = memory.get([first])
    assert chunk.metadata == {"score": 0.9}
    assert (chunk.path, chunk.start_line, chunk.symbol, chunk.kind) == (None, 0, "Retry", "pattern")


def test_a_record_keeps_its_creation_time(memory: Memory) -> None:
    before = time.time()
    id_, _ = memory.remember(type="know", kind="fact", symbol="s", text="t", metadata={})
    after = time.time()
    memory.remember(type="know", kind="fact", symbol="s", text="t", metadata={})
    with memory._store.begin_read() as db:
        (record,) = read_records(db, [id_])
    assert record.at is not None
    assert before - 0.01 <= record.at <= after + 0.01  # the database counts milliseconds


def test_the_id_is_the_same_in_another_memory(memory: Memory, tmp_path: Path) -> None:
    with Memory.open(tmp_path / "other.db") as other:
        ids = {
            one.remember(type="know", kind="fact", symbol="s", text="the sky is blue", metadata={})[0]
            for one in (memory, other)
        }
    assert len(ids) == 1


@pytest.mark.parametrize("change", [{"type": "know"}, {"kind": "cached"}, {"symbol": "other"}, {"text": "other"}])
def test_a_different_type_kind_symbol_or_text_gives_another_id(memory: Memory, change: dict[str, str]) -> None:
    record = {"type": "reas", "kind": "pattern", "symbol": "s", "text": "t"}
    one, _ = memory.remember(**record, metadata={})
    two, created = memory.remember(**{**record, **change}, metadata={})
    assert created
    assert one != two


def test_a_pattern_is_found_again_by_its_words_and_by_its_meaning(memory: Memory) -> None:
    memory.remember(
        type="reas", kind="pattern", symbol="Slow login", text="The password hash had too many rounds.", metadata={}
    )
    memory.remember(type="reas", kind="pattern", symbol="Colours", text="The theme was dark on dark.", metadata={})
    assert memory.search("why does the login take so long").hits[0].chunk.symbol == "Slow login"
    assert memory.search("hashes of passwords", types=["reas"]).hits[0].chunk.symbol == "Slow login"


def test_text_is_stored_without_characters_that_utf8_cannot_encode(memory: Memory) -> None:
    id_, _ = memory.remember(type="know", kind="fact", symbol="\ud800", text="a \udfff b \x00 c", metadata={})
    assert memory.get([id_])[0].text == "a ? b \x00 c"


@pytest.mark.parametrize(
    "bad", [{"type": "code2"}, {"text": "  \n"}, {"metadata": {"x": object()}}, {"metadata": {"x": float("inf")}}]
)
def test_an_invalid_record_is_rejected_and_nothing_is_stored(memory: Memory, bad: dict[str, object]) -> None:
    record = {"type": "reas", "kind": "pattern", "symbol": "s", "text": "t", "metadata": {}, **bad}
    with pytest.raises(Fault) as caught:
        memory.remember(**record)
    assert caught.value.code is Code.INVALID_INPUT
    assert sum(memory.stats().chunks.values()) == 0


def test_get_keeps_the_order_and_find_missing_lists_unknown_ids(memory: Memory) -> None:
    ids = [memory.remember(type="know", kind="fact", symbol=str(i), text=f"fact {i}", metadata={})[0] for i in range(5)]
    asked = [ids[3], "know:nothing", ids[0], "", ids[3]]
    assert [chunk.id for chunk in memory.get(asked)] == [ids[3], ids[0], ids[3]]
    assert memory.find_missing(asked) == ("know:nothing", "")
    assert memory.get([]) == memory.find_missing([]) == ()
