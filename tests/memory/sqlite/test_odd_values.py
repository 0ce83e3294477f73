"""Values that only a damaged page has are left out of a search, named by the check and mended by a repair."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import apsw
import pytest

from aurora.memory import Memory
from aurora.memory.indexing.run import ignore_progress
from aurora.memory.maintenance import check_memory, repair_memory

if TYPE_CHECKING:
    from pathlib import Path

CHANGES = {
    "an unknown type": "UPDATE docs SET type = 'prose'",
    "a negative first number": "UPDATE docs SET first_n = -first_n",
    "a negative last number": "UPDATE docs SET last_n = -last_n",
    "a last number without an end": "UPDATE docs SET last_n = 4000000000000000000",
    "a negative segment": "UPDATE segments SET first_n = -9",
    "a segment without an end": "UPDATE segments SET first_n = 9000000000000000000",
    "a generation that is no number": "UPDATE facts SET value = 'many' WHERE key = 'generation'",
    "a generation of brackets": "UPDATE facts SET value = printf('%.*c', 200000, '[') WHERE key = 'generation'",
    "a generation without an end": "UPDATE facts SET value = printf('%.*c', 20000, '9') WHERE key = 'generation'",
}


@pytest.fixture
def filled(database: Path) -> Path:
    root = database.parent.parent
    root.mkdir()
    (root / "pay.py").write_text("def price(net):\n    return net + 1\n", encoding="utf-8")
    with Memory.open(database) as memory:
        memory.index(root)
        memory.remember(type="know", kind="fact", symbol="kept", text="kettles whistle", metadata={})
    return database


@pytest.mark.parametrize("change", CHANGES)
def test_a_value_that_no_aurora_writes_crashes_no_search(filled: Path, change: str) -> None:
    with closing(apsw.Connection(str(filled))) as db:
        db.execute(CHANGES[change])

    with Memory.open(filled) as memory:
        memory.search("kettles")
        memory.search("price")
        memory.stats()
    assert any(not finding.unfinished for finding in check_memory(filled))

    done = repair_memory(filled, filled.parent.parent, ignore_progress)

    assert done.remaining == ()
    with Memory.open(filled) as memory:
        assert memory.search("kettles").hits[0].chunk.symbol == "kept"
        assert memory.search("price").hits[0].chunk.path == "pay.py"


def test_a_memory_whose_tables_are_all_on_one_page_is_repaired(filled: Path) -> None:
    with closing(apsw.Connection(str(filled))) as db:
        db.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 0)
        db.execute(
            "PRAGMA writable_schema = 1; UPDATE sqlite_schema SET rootpage = "
            "(SELECT rootpage FROM sqlite_schema WHERE name = 'chunks') WHERE type = 'table'"
        )

    assert check_memory(filled)
    done = repair_memory(filled, filled.parent.parent, ignore_progress)

    assert done.remaining == ()
    assert check_memory(filled) == ()
