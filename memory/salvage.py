"""Salvaging: what can still be read out of a torn database is carried into a new one, and the torn one is kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import apsw

from . import lexicon_write
from .sqlite.alone import alone
from .sqlite.complaints import spoken
from .sqlite.opening import connect, establish
from .sqlite.rows import ask
from .sqlite.salvage_copy import copied
from .sqlite.salvage_rows import Reading, read
from .upkeep_check import torn
from .upkeep_files import displace, scratch
from .upkeep_mend import mend_journal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

REMADE = frozenset(
    {
        "docs",
        "edges",
        "facts",
        "files",
        "graph_gone",
        "graph_packed",
        "graph_pending",
        "nodes",
        "postings",
        "refs",
        "segments",
        "vectors",
    }
)
"""Tables that are made anew from the project's files; every other one holds what only the memory knows."""

_FIRST = ("remembered", "runs")
"""Before a chunk enters, it must be known when it was first kept; before a step, its run."""
_PATIENCE = 5.0


@dataclass(frozen=True, slots=True)
class Salvaged:
    """What was saved, in rows by table, and what was not, by name; `aside` is where the torn database is now."""

    aside: Path | None
    saved: Mapping[str, int]
    lost: Sequence[str]


def salvage(database: Path) -> Salvaged:
    """Put a new database in the place of a torn one, with all that can be read of what people and runs put there.

    The torn one is only copied until the new one is finished: a kill at any moment leaves the one or the other. Of two
    processes that salvage at once, the second finds the work of the first and leaves it alone.

    Raises:
        Fault: FORBIDDEN or UPSTREAM_ERROR when the folder cannot be written or the disk is full, TIMEOUT when another
            process writes or salvages for too long.
    """
    with spoken(database), alone(database):
        if not torn(database):
            return Salvaged(None, {}, ())
        with scratch(database) as staged, copied(database) as copy:
            establish(staged, patience=_PATIENCE)
            saved, lost = _carried(copy, staged)
            return Salvaged(displace(staged, database), saved, lost)


def _carried(copy: apsw.Connection | None, staged: Path) -> tuple[dict[str, int], list[str]]:
    target = connect(staged, read_only=False, patience=_PATIENCE)
    try:
        saved, lost = {}, []
        if copy is None:
            lost = ["everything: nothing in the file is a database"]
        else:
            target.pragma("foreign_keys", False)  # noqa: FBT003 - the pragma's value, given by place in apsw
            with target:
                for table in _tables(target):
                    saved[table], said = _carry(copy, target, table)
                    lost += said
                lost += mend_journal(target)
                saved["steps"] = ask(target, "SELECT count(*) FROM steps")[0][0]
                saved["runs"] = ask(target, "SELECT count(*) FROM runs")[0][0]
                lexicon_write.add_facts(target)
        target.pragma("journal_mode", "delete")
    finally:
        target.close()
    return {table: count for table, count in saved.items() if count}, lost


def _tables(db: apsw.Connection) -> list[str]:
    rows = ask(db, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'sqlite_*' ORDER BY name")
    names = [name for (name,) in rows if name not in REMADE]
    return sorted(names, key=lambda name: (name not in _FIRST, name))


def _carry(copy: apsw.Connection, target: apsw.Connection, table: str) -> tuple[int, list[str]]:
    """Copy what can be read of a table; how many rows, and what is lost."""
    reading = Reading(table)
    columns = [name for (name,) in ask(target, "SELECT name FROM pragma_table_info(?)", (table,))]
    marks = ", ".join("?" * len(columns))
    sql = f"INSERT OR IGNORE INTO {table} ({', '.join(columns)}) VALUES ({marks})"  # noqa: S608 - our own names
    count = 0
    for row in read(copy, reading, columns):
        try:
            target.execute(sql, row)
            count += target.changes()
        except (apsw.ConstraintError, apsw.MismatchError):
            reading.refused += 1
    return count, reading.lost(copy)
