from __future__ import annotations

import os
from typing import TYPE_CHECKING

from aurora.errors import CancelScope
from aurora.trust import PrivateCache
from aurora.trust.state import MAX_ENTRIES, MAX_ENTRY_BYTES

if TYPE_CHECKING:
    from pathlib import Path


def test_an_entry_is_read_as_it_was_written(tmp_path: Path) -> None:
    cache = PrivateCache(tmp_path / "new" / "cache")
    assert cache.read("key") is None

    cache.write("key", b"first")
    cache.write("key", b"second")

    assert cache.read("key") == b"second"
    assert cache.read("other") is None


def test_an_entry_is_no_change_that_a_call_reports(tmp_path: Path) -> None:
    scope = CancelScope()
    with scope.activate():
        PrivateCache(tmp_path).write("key", b"entry")

    assert PrivateCache(tmp_path).read("key") == b"entry"
    assert scope.changes == 0


def test_the_oldest_entries_are_removed(tmp_path: Path) -> None:
    cache = PrivateCache(tmp_path)
    for number in range(MAX_ENTRIES + 5):
        cache.write(f"key {number}", b"entry")
        for path in tmp_path.iterdir():  # an hour older than before: the order does not depend on the clock
            status = path.stat()
            os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns - 3_600_000_000_000))

    assert len(list(tmp_path.iterdir())) == MAX_ENTRIES
    assert cache.read("key 4") is None
    assert cache.read("key 5") == b"entry"


def test_an_entry_that_is_too_large_is_not_kept(tmp_path: Path) -> None:
    cache = PrivateCache(tmp_path)
    cache.write("key", bytes(MAX_ENTRY_BYTES + 1))

    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_made_is_ignored(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder", encoding="utf-8")
    cache = PrivateCache(tmp_path / "file" / "cache")

    cache.write("key", b"entry")

    assert cache.read("key") is None
