from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.memory import Memory
from aurora.memory.maintenance.stats import measure_maintenance
from aurora.memory.storage.checks import PART_TABLES

if TYPE_CHECKING:
    from pathlib import Path


def test_the_sizes_of_all_parts_add_up_to_the_file(memory: Memory, library: Path) -> None:
    memory.index(library)
    memory.close()
    with Memory.open(memory.path) as opened:
        sizes = dict(measure_maintenance(opened.store, library).sizes)
        sizes.pop("log")
        assert set(sizes) == {*PART_TABLES, "other", "free"}
        assert all(sizes[part] > 0 for part in PART_TABLES)
        assert sum(sizes.values()) == memory.path.stat().st_size


def test_changed_new_and_removed_files_are_counted(memory: Memory, library: Path) -> None:
    (library / "picture.dat").write_bytes(b"\0\1" * 100)
    memory.index(library)
    fresh = measure_maintenance(memory.store, library)
    assert (fresh.state, fresh.changed, fresh.new, fresh.gone) == ("complete", 0, 0, 0)
    (library / "json" / "decoder.py").write_text("x = 1\n", encoding="utf-8")
    (library / "new.py").write_text("y = 1\n", encoding="utf-8")
    (library / "json" / "tool.py").unlink()
    later = measure_maintenance(memory.store, library)
    assert (later.changed, later.new, later.gone) == (1, 1, 1)


def test_accesses_are_counted(memory: Memory, library: Path) -> None:
    memory.index(library)
    first, second = [chunk.id for chunk in memory.iter_chunks()][:2]
    memory.record_use([first, second])
    memory.record_use([first])
    used = measure_maintenance(memory.store, library)
    assert (used.accesses, used.used) == (3, 2)


def test_an_absent_memory_has_no_size_and_was_never_indexed(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "memory.db", read_only=True) as opened:
        empty = measure_maintenance(opened.store, tmp_path)
    assert (dict(empty.sizes), empty.state, empty.changed) == ({}, "never", None)
