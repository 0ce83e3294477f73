"""Near duplicates merge into one record with the metadata of all; similar but different records stay."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aurora.errors import Code, Fault
from aurora.memory import Memory
from aurora.memory import usage as access
from aurora.memory.model.chunks import Chunk
from aurora.memory.records import undo
from aurora.memory.records.consolidate import ConsolidationOptions, consolidate_records, extract_shingles, link_by_words
from aurora.memory.records.export import export_records
from aurora.memory.records.records import StoredRecord
from aurora.memory.sqlite.backup import backup

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

LONG = "Before every release the staging server is emptied, and whoever is on duty checks the logs by hand"


def keep(memory: Memory, text: str, *, at: float = 1e9, subject: str = "", type_: str = "know", **metadata: Any) -> str:
    id_, _ = memory.remember(type=type_, kind="fact", symbol=subject, text=text, metadata=metadata)
    with memory.store.begin_write() as db:
        db.records.set_remembered_times([(id_, at)])
    return id_


def test_the_most_used_record_absorbs_the_metadata_of_the_other(memory: Memory) -> None:
    used = keep(memory, f"{LONG}.", tags=["a", "b"], sources=["wiki"])
    other = keep(memory, f"{LONG}!  ", tags=["b", "c"], author="kim")
    apart = keep(memory, "Zebras sleep standing.")
    for id_, at in ((used, 10.0), (used, 11.0), (other, 12.0)):
        access.record_use(memory.store, [id_], at)
    (merge,) = consolidate_records(memory.store, ConsolidationOptions()).merges
    assert merge.record.chunk.id == used
    assert [(one.chunk.id, score) for one, score in merge.absorbed] == [(other, 1.0)]
    (chunk,) = memory.get([used])
    assert chunk.metadata == {
        "tags": ["a", "b", "c"],
        "sources": ["wiki"],
        "author": "kim",
        "merged": [other],
    }
    assert merge.record.accesses == (10.0, 11.0, 12.0)
    assert memory.find_missing([used, other, apart]) == (other,)


def test_undo_restores_the_same_bytes(memory: Memory) -> None:
    for end in ".!?":
        id_ = keep(memory, LONG + end, tags=[end])
        access.record_use(memory.store, [id_], 5.0 + ord(end))
    before = export_records(memory.store).to_text()
    done = consolidate_records(memory.store, ConsolidationOptions())
    assert export_records(memory.store).counts["chunk"] == 1
    backups = {each.name for each in backup.list_backups(memory.path)}
    assert done.backup in backups or (done.backup is None and not memory.path.exists())  # a server has its own
    undo.undo_last(memory.store)
    assert export_records(memory.store).to_text() == before


def test_a_dry_run_lists_the_merges_and_changes_nothing(memory: Memory) -> None:
    for end in ".!?":
        keep(memory, LONG + end)
    before = export_records(memory.store).to_text()
    told = consolidate_records(memory.store, ConsolidationOptions(), dry_run=True)
    assert export_records(memory.store).to_text() == before
    assert not backup.list_backups(memory.path)
    assert consolidate_records(memory.store, ConsolidationOptions()).merges == told.merges
    assert consolidate_records(memory.store, ConsolidationOptions()).merges == ()


@pytest.mark.parametrize("by", ["similarity", "meaning"])
@pytest.mark.parametrize(
    ("one", "two"),
    [
        (f"{LONG}: the port is 8080", f"{LONG}: the port is 9090"),
        (f"{LONG}, and it is allowed to restart", f"{LONG}, and it is not allowed to restart"),
        (f"{LONG}. Call parse_args first", f"{LONG}. Call parse_opts first"),
    ],
    ids=["number", "denial", "name"],
)
def test_records_that_differ_in_a_number_or_name_are_not_merged(memory: Memory, one: str, two: str, by: Any) -> None:
    keep(memory, one)
    keep(memory, two)
    assert consolidate_records(memory.store, ConsolidationOptions(by, 0.5)).merges == ()


def test_records_of_two_subjects_or_two_types_are_not_merged(memory: Memory) -> None:
    keep(memory, LONG, subject="Otter")
    keep(memory, LONG, subject="Walrus")
    keep(memory, LONG, subject="Otter", type_="reas")
    assert consolidate_records(memory.store, ConsolidationOptions()).merges == ()


def test_by_meaning_the_same_sense_in_another_word_order_is_merged(memory: Memory) -> None:
    keep(memory, "Too many rounds of password hashing make the login slow.")
    keep(memory, "The login is slow: hashing of the password in too many rounds.")
    keep(memory, "Bananas grow in Ecuador.")
    assert consolidate_records(memory.store, ConsolidationOptions("similarity"), dry_run=True).merges == ()
    (merge,) = consolidate_records(memory.store, ConsolidationOptions("meaning")).merges
    assert len(merge.absorbed) == 1


def test_by_time_the_latest_record_of_a_subject_absorbs_those_within_the_window(memory: Memory) -> None:
    old = keep(memory, "The port is 1.", subject="Port", at=1000.0)
    early = keep(memory, "The port is 2.", subject="port ", at=50_000.0)
    late = keep(memory, "The port is 3.", subject="PORT", at=51_000.0)
    keep(memory, "Something else.", subject="Other", at=51_000.0)
    keep(memory, "No subject.", at=51_000.0)
    (merge,) = consolidate_records(memory.store, ConsolidationOptions("time", window_seconds=3600.0)).merges
    assert (merge.record.chunk.id, [one.chunk.id for one, _ in merge.absorbed]) == (late, [early])
    assert not memory.find_missing([old, late])


def test_a_limit_compares_only_the_newest_records(memory: Memory) -> None:
    for n, end in enumerate(".!?"):
        keep(memory, LONG + end, at=1000.0 + n)
    done = consolidate_records(memory.store, ConsolidationOptions(max_records=2))
    assert done.record_count == 2
    assert sum(len(merge.absorbed) for merge in done.merges) == 1


def test_the_order_of_insertion_does_not_change_the_merges(memory: Memory, tmp_path: Path) -> None:
    told = [(LONG + end, 1000.0 + n) for n, end in enumerate([".", "!", "?", " and nothing more", " and then some"])]
    for text, at in told:
        keep(memory, text, at=at)
    consolidate_records(memory.store, ConsolidationOptions())
    for n, order in enumerate(itertools.islice(itertools.permutations(told), 1, 40, 13)):
        with Memory.open(tmp_path / str(n) / "memory.db") as other:
            for text, at in order:
                keep(other, text, at=at)
            consolidate_records(other.store, ConsolidationOptions())
            assert export_records(other.store).to_text() == export_records(memory.store).to_text()


def test_a_read_only_memory_lists_the_merges_only(memory: Memory, open_again: Callable[..., Memory]) -> None:
    keep(memory, LONG)
    keep(memory, f"{LONG}.")
    with open_again(read_only=True) as sealed:
        assert len(consolidate_records(sealed.store, ConsolidationOptions(), dry_run=True).merges) == 1
        with pytest.raises(Fault) as caught:
            consolidate_records(sealed.store, ConsolidationOptions())
    assert caught.value.code is Code.FORBIDDEN


@settings(max_examples=50)
@given(
    st.lists(st.lists(st.sampled_from("abcdef"), min_size=1, max_size=8).map(" ".join), max_size=12),
    st.sampled_from([0.5, 0.6, 0.7, 1.0]),
)
def test_prefix_filtering_finds_exactly_the_similar_pairs(texts: list[str], least: float) -> None:
    group = [StoredRecord(Chunk(str(n), "know", None, 0, 0, "", "fact", "", text), 0.0) for n, text in enumerate(texts)]
    links = link_by_words(group, least)
    for one, two in itertools.combinations(group, 2):
        a, b = extract_shingles(one.chunk.text), extract_shingles(two.chunk.text)
        score = len(a & b) / len(a | b)
        assert links.get(one.chunk.id, {}).get(two.chunk.id) == (score if score >= least else None)
