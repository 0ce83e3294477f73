"""Killed at any moment, a consolidation or an import has happened whole or not at all."""

from __future__ import annotations

import os
import random
import signal
from typing import TYPE_CHECKING

import apsw
import pytest

from aurora.memory import Memory
from aurora.memory.database import restore_backup
from aurora.memory.records.consolidate import ConsolidationOptions, consolidate_records
from aurora.memory.records.export import export_records, read_lines, write_export
from aurora.memory.records.import_ import import_records
from aurora.memory.sqlite.backup import backup

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Protocol

    class RunForked(Protocol):
        def __call__(self, program: str, *arguments: Path, kill_after: float | None = None) -> tuple[int, float]: ...


_BEGIN = "import sys; from pathlib import Path; from aurora.memory import Memory; m = Memory.open(Path(sys.argv[1])); "
CONSOLIDATE = (
    f"{_BEGIN}from aurora.memory.records.consolidate import consolidate_records, ConsolidationOptions; "
    "m.warm_up(); print(flush=True); consolidate_records(m.store, ConsolidationOptions())"
)
IMPORT = (
    f"{_BEGIN}from aurora.memory.records.import_ import import_records; "
    "from aurora.memory.records.export import read_lines; "
    "m.warm_up(); print(flush=True); import_records(m.store, read_lines(Path(sys.argv[2])), 'it')"
)
FACTS = 150


def fill(memory: Memory) -> None:
    for n in range(FACTS):
        text = f"Rule {n % (FACTS // 2)}: before a release, somebody empties the staging server and checks the logs"
        id_, _ = memory.remember(
            type="know", kind="fact", symbol="", text=text + ".!"[n >= FACTS // 2], metadata={"tags": [str(n)]}
        )
        memory.record_use([id_])
    memory.journal.create("r1", "soar", {}, [("assess", {"n": n}) for n in range(20)])


@pytest.mark.parametrize("work", ["consolidate", "import"])
def test_killed_at_any_moment_it_leaves_the_old_state_or_the_new_one(
    memory: Memory, tmp_path: Path, run_forked: RunForked, work: str
) -> None:
    file = tmp_path / "memory.jsonl"
    if work == "import":
        with Memory.open(tmp_path / "other.db") as other:
            fill(other)
            write_export(file, export_records(other.store).to_text())
        before = export_records(memory.store).to_text()
        made = backup.create_backup(memory.path)
        import_records(memory.store, read_lines(file), "it")
    else:
        fill(memory)
        before = export_records(memory.store).to_text()
        made = backup.create_backup(memory.path)
        consolidate_records(memory.store, ConsolidationOptions())
    after = export_records(memory.store).to_text()
    assert before != after
    restore_backup(memory.path, made.name)

    program = IMPORT if work == "import" else CONSOLIDATE
    code, whole = run_forked(program, memory.path, file)
    assert code == 0
    assert export_records(memory.store).to_text() == after
    draw = random.Random(7)  # noqa: S311 - moments, not secrets
    for _ in range(int(os.environ.get("AURORA_KILLS", "8"))):
        restore_backup(memory.path, made.name)
        code, _ = run_forked(program, memory.path, file, kill_after=draw.uniform(0, whole))
        assert code in {0, -signal.SIGKILL}
        assert _quick_check(memory.path) == "ok"
        with Memory.open(memory.path) as opened:
            assert export_records(opened.store).to_text() in {before, after}
        for each in backup.list_backups(memory.path):
            assert _quick_check(each.path) == "ok"


def _quick_check(path: Path) -> object:
    db = apsw.Connection(str(path), apsw.SQLITE_OPEN_READONLY)
    try:
        return db.pragma("quick_check")
    finally:
        db.close()
