"""A repair in place names every damaged row and loses nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import apsw
import pytest

from aurora.errors import Code, Fault
from aurora.memory import Memory
from aurora.memory.indexing.run import ignore_progress
from aurora.memory.maintenance.adopt import repair_memory
from aurora.memory.maintenance.check import check_memory

if TYPE_CHECKING:
    from pathlib import Path


class Harm(NamedTuple):
    """SQL of the damage, finding of the check, loss of the repair, and remaining steps of run "one"."""

    sql: str
    said: str
    lost: str | None = None
    steps: int | None = 3


HARM = {
    "a record's metadata": Harm(
        "UPDATE chunks SET metadata = '{\"torn\": ' WHERE symbol = 'walrus'",
        'the metadata of chunk "{walrus}" is not a JSON object',
        'the metadata of "{walrus}"',
    ),
    "a file's metadata": Harm(
        "UPDATE chunks SET metadata = '[]' WHERE symbol = 'price'",
        'the metadata of chunk "{price}" is not a JSON object',
    ),
    "a file that is not listed": Harm(
        "PRAGMA foreign_keys = 0; DELETE FROM files WHERE path = 'pay.py'",
        'chunk "{price}" belongs to "pay.py", which is not indexed',
    ),
    "a vector of another type": Harm(
        "UPDATE vectors SET type = 'code' WHERE n = (SELECT n FROM chunks WHERE symbol = 'walrus')",
        "1 vectors have a missing chunk, a wrong type or a wrong size",
    ),
    "a run's head": Harm(
        "UPDATE runs SET document = '[]' WHERE run = 'one'",
        'the document of run "one" is not a JSON object',
        'run "one"',
        None,
    ),
    "a run without its head": Harm(
        "PRAGMA foreign_keys = 0; DELETE FROM runs WHERE run = 'one'",
        '3 steps belong to the missing run "one"',
        '3 steps of the missing run "one"',
        None,
    ),
    "a step": Harm(
        "UPDATE steps SET document = '{' WHERE run = 'one' AND seq = 3",
        'step 3 of run "one" is not a JSON object',
        'step 3 of run "one"',
        2,
    ),
    "a gap": Harm(
        "DELETE FROM steps WHERE run = 'one' AND seq = 2",
        'run "one" has 2 steps, but the last one is number 3',
        '1 steps of run "one" after the missing step 2',
        1,
    ),
}


@pytest.mark.parametrize("what", sorted(HARM))
def test_damage_is_reported_by_name_and_only_reported_rows_are_lost(memory: Memory, tmp_path: Path, what: str) -> None:
    root = tmp_path / "pay"
    root.mkdir()
    (root / "pay.py").write_text("def price(net):\n    return net + 1\n")
    memory.index(root)
    walrus, _ = memory.remember(type="know", kind="fact", symbol="walrus", text="walrus tusks", metadata={"a": 1})
    for run in ("one", "two"):
        memory.journal.create(run, "soar", {"run": run}, [("assess", {}), ("retrieve", {}), ("respond", {})])
    before = {chunk.id: chunk for chunk in memory.iter_chunks()}
    names = {"walrus": walrus, "price": next(id_ for id_, chunk in before.items() if chunk.symbol == "price")}
    memory.close()
    harm = HARM[what]

    db = apsw.Connection(str(memory.path))
    db.execute(harm.sql)
    db.close()
    assert harm.said.format_map(names) in [one.message for one in check_memory(memory.path) if not one.unfinished]
    done = repair_memory(memory.path, root, ignore_progress)

    assert done.lost == ((harm.lost.format_map(names),) if harm.lost else ())
    assert done.remaining == ()
    with Memory.open(memory.path) as mended:
        after = {chunk.id: chunk for chunk in mended.iter_chunks()}
        steps = {run.run: run.steps for run in mended.journal.runs(10)}
    assert after.keys() == before.keys()
    changed = {chunk.symbol for id_, chunk in after.items() if chunk != before[id_]}
    assert changed == ({"walrus"} if what == "a record's metadata" else set())
    assert (steps.get("one"), steps.get("two")) == (harm.steps, 3)


@pytest.mark.parametrize("metadata", ['{"torn": ', "[]"])
def test_unreadable_metadata_is_damage_that_names_repair(memory: Memory, metadata: str) -> None:
    walrus, _ = memory.remember(type="know", kind="fact", symbol="walrus", text="walrus tusks", metadata={})
    db = apsw.Connection(str(memory.path))
    db.execute("UPDATE chunks SET metadata = ?", (metadata,))
    db.close()
    for ask in (lambda: memory.get([walrus]), lambda: memory.search("walrus"), lambda: list(memory.iter_chunks())):
        with pytest.raises(Fault, match="JSON") as said:
            ask()
        assert said.value.code is Code.UPSTREAM_ERROR
        assert "aur mem repair" in str(said.value.help)
