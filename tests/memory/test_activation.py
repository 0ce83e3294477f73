"""Activation by ACT-R over a real index: what was written or read lately, and what the code graph links with it."""

from __future__ import annotations

import math
import os
from typing import TYPE_CHECKING

import apsw
import pytest

from aurora.memory import Memory
from aurora.memory import usage as access

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NOW = 1_800_000_000.0
FILES = {
    "pay.py": "def price(net):\n    from tax import vat\n\n    return net + vat(net)\n",
    "tax.py": "def vat(net):\n    return net * 0.2\n",
    "tea.py": "def brew():\n    return 'tea'\n",
}


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    for age, (name, text) in enumerate(FILES.items(), 1):
        (tmp_path / name).write_text(text, encoding="utf-8")
        os.utime(tmp_path / name, (NOW - 1000 * age, NOW - 1000 * age))
    with Memory.open(tmp_path / ".aurora" / "memory.db") as opened:
        opened.index(tmp_path)
        yield opened


def chunk(memory: Memory, path: str) -> str:
    return next(one.id for one in memory.iter_chunks() if one.path == path)


def test_every_chunk_of_a_file_is_as_active_as_the_file_is_young(memory: Memory) -> None:
    found, focus = access.rank_active_chunks(memory.store, memory.graph, first=10, at=NOW)
    assert focus == ()
    assert [one.path for one in found] == ["pay.py", "tax.py", "tea.py"]
    assert [one.base for one in found] == pytest.approx([-0.5 * math.log(1000 * age) for age in (1, 2, 3)], abs=1e-3)
    assert {one.uses for one in found} == {0}


def test_reading_a_chunk_makes_it_active_and_spreads_over_its_links_only(memory: Memory) -> None:
    access.record_use(memory.store, [chunk(memory, "pay.py")], NOW - 10)
    found, focus = access.rank_active_chunks(memory.store, memory.graph, first=10, at=NOW)
    by_path = {one.path: one for one in found}
    assert focus == (chunk(memory, "pay.py"),)
    assert by_path["pay.py"].base == pytest.approx(math.log(10**-0.5 + 1000**-0.5), abs=1e-3)
    assert (by_path["pay.py"].uses, by_path["pay.py"].last) == (1, NOW - 10)
    assert by_path["tax.py"].spread > 0
    assert by_path["tea.py"].spread == 0
    assert by_path["tax.py"].total == by_path["tax.py"].base + by_path["tax.py"].spread


@pytest.mark.requirement("prd-68")
def test_uses_do_not_change_what_a_search_finds(memory: Memory) -> None:
    before = [(hit.chunk.id, hit.score) for hit in memory.search("def net tea").hits]
    last, _ = before[-1]
    for second in range(20):
        access.record_use(memory.store, [last], NOW - second)
    (most_active, *_), _ = access.rank_active_chunks(memory.store, memory.graph, first=10, at=NOW)
    assert (most_active.id, len(before)) == (last, 3)
    assert [(hit.chunk.id, hit.score) for hit in memory.search("def net tea").hits] == before


def test_a_read_while_another_process_writes_is_recorded_later(memory: Memory) -> None:
    read = chunk(memory, "tea.py")
    other = apsw.Connection(str(memory.path))
    other.execute("BEGIN IMMEDIATE")
    memory.try_record_use([read])
    assert access.compute_activation(memory.store, [read]) == {}
    other.execute("ROLLBACK")
    other.close()
    memory.try_record_use([chunk(memory, "tax.py")])
    assert set(access.compute_activation(memory.store, [read])) == {read}


def test_a_read_only_memory_notes_nothing(memory: Memory) -> None:
    path, read = memory.path, chunk(memory, "tea.py")
    memory.close()
    before = path.read_bytes()
    with Memory.open(path, read_only=True) as sealed:
        sealed.try_record_use([read])
    assert path.read_bytes() == before
