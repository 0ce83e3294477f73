from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from aurora.memory import Memory
from aurora.memory import usage as access
from aurora.memory.database import open_store

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from aurora.memory.storage.store import Store

NOW = 1_700_000_000.0


@pytest.fixture
def store(database: Path) -> Iterator[Store]:
    opened = open_store(database)
    yield opened
    opened.close()


@pytest.fixture
def id_(database: Path) -> str:
    with Memory.open(database) as memory:
        return memory.remember(type="reas", kind="p", symbol="s", text="used now and then", metadata={})[0]


def test_the_base_level_is_the_logarithm_of_the_summed_decayed_ages(store: Store, id_: str) -> None:
    for age in (100.0, 400.0, 10_000.0):
        access.record_use(store, [id_], NOW - age)
    expected = math.log(100**-0.5 + 400**-0.5 + 10_000**-0.5)
    assert access.compute_activation(store, [id_], NOW) == {id_: pytest.approx(expected)}


def test_a_chunk_used_recently_or_often_is_more_active(store: Store, id_: str) -> None:
    access.record_use(store, [id_], NOW - 1000)
    once = access.compute_activation(store, [id_], NOW)[id_]
    access.record_use(store, [id_], NOW - 900)
    twice = access.compute_activation(store, [id_], NOW)[id_]
    assert once < twice
    assert access.compute_activation(store, [id_], NOW + 10**6)[id_] < once


def test_an_unused_chunk_has_no_activation_and_unknown_ids_are_ignored(store: Store, id_: str) -> None:
    access.record_use(store, ["code:nothing"], NOW)
    assert access.compute_activation(store, [id_, "code:nothing"], NOW) == {}


def test_a_use_this_very_moment_counts_as_a_second_ago(store: Store, id_: str) -> None:
    access.record_use(store, [id_], NOW)
    assert access.compute_activation(store, [id_], NOW) == {id_: 0.0}


def test_only_the_latest_uses_are_stored(store: Store, id_: str) -> None:
    for i in range(access.MAX_USES + 20):
        access.record_use(store, [id_], NOW - i)
    expected = math.log(sum(max(i, 1) ** -0.5 for i in range(access.MAX_USES)))
    assert access.compute_activation(store, [id_], NOW)[id_] == pytest.approx(expected)


def test_the_door_records_and_tells_it_too(database: Path, id_: str) -> None:
    with Memory.open(database) as memory:
        memory.record_use([id_, id_])
        assert set(memory.compute_activation([id_])) == {id_}
