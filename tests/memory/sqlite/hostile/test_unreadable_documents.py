"""A document that SQLite takes for JSON and Python cannot read is damage, which a repair sets aside."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import apsw
import pytest

from aurora.faults import Code, Fault
from aurora.memory import Memory
from aurora.memory.indexing.run import ignore_progress
from aurora.memory.maintenance import check_memory, repair_memory
from aurora.memory.records import forget_records, undo_last
from aurora.memory.sqlite.seals import build_reseal, register_seals

if TYPE_CHECKING:
    from pathlib import Path

DOCUMENTS = {"number": f'{{"a":{"9" * 4_400}}}', "depth": f'{{"a":{"[" * 3_000}{"]" * 3_000}}}'}
WHERE = {"chunks": "metadata=? WHERE path IS NULL", "runs": "document=?", "steps": "document=?", "undo": "document=?"}


@pytest.mark.parametrize("document", DOCUMENTS)
@pytest.mark.parametrize("table", WHERE)
def test_a_document_that_python_cannot_read_is_damage_that_a_repair_removes(
    tmp_path: Path, table: str, document: str
) -> None:
    path = tmp_path / ".aurora" / "memory.db"
    with Memory.open(path) as memory:
        kept, gone = (
            memory.remember(type="know", kind="fact", symbol=text, text=text, metadata={})[0]
            for text in ("Zebras run.", "Ants walk.")
        )
        memory.journal.create("r", "soar", {"status": "open"}, [("assess", {"a": 1})])
        forget_records(memory.store, [gone])
    with closing(apsw.Connection(str(path))) as db:
        register_seals(db)
        db.execute(f"UPDATE {table} SET {WHERE[table]}", (DOCUMENTS[document],))  # noqa: S608 - a constant
        db.execute(build_reseal(table))

    with Memory.open(path) as memory:
        for read in {
            "chunks": [lambda: memory.get([kept])],
            "runs": [lambda: memory.journal.head("r"), lambda: memory.journal.runs(5)],
            "steps": [lambda: memory.journal.steps("r"), lambda: memory.journal.first_steps(["r"])],
            "undo": [lambda: undo_last(memory.store)],
        }[table]:
            with pytest.raises(Fault, match="is damaged") as caught:
                read()
            assert caught.value.code is Code.UPSTREAM_ERROR
    assert len(check_memory(path)) == 1
    repair_memory(path, tmp_path, ignore_progress)
    assert check_memory(path) == ()
    with Memory.open(path) as memory:
        assert memory.get([kept])[0].text == "Zebras run."


def test_a_text_with_many_brackets_and_digits_is_kept(memory: Memory) -> None:
    document = {"text": "[" * 2_000 + "9" * 5_000 + '\\"]}', "list": [[] for _ in range(800)]}
    memory.journal.create("r", "soar", document, [("assess", document)])
    head = memory.journal.head("r")
    assert head is not None
    assert head.document == document
