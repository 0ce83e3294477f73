"""Carries what can still be read of a torn database into a new one, table by table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import apsw

from aurora.memory.sqlite.connection import connect
from aurora.memory.sqlite.rows import ask
from aurora.memory.sqlite.tables.all import Tables

from .readable_copy import copied
from .rows import Reading, read

if TYPE_CHECKING:
    from collections.abc import Callable
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


def carried(
    torn: Path, staged: Path, finish: Callable[[Tables], list[str]], *, patience: float
) -> tuple[dict[str, int], list[str]]:
    """Carry what only the memory knows from one database into another; the torn one is only copied.

    Args:
        torn: the database that cannot be read as a whole.
        staged: a new one, with empty tables.
        finish: makes what was carried whole, in the same transaction, and tells what is lost by that.
        patience: seconds to wait for another process's lock.

    Returns:
        The rows that were saved, by table, and what was not, by name.

    Raises:
        OSError: when there is no room for a copy.
    """
    with copied(torn) as copy:
        target = connect(staged, read_only=False, patience=patience)
        try:
            found = _filled(target, copy, finish) if copy else ({}, ["everything: nothing in the file is a database"])
            target.pragma("journal_mode", "delete")
        finally:
            target.close()
    return found


def _filled(
    target: apsw.Connection, copy: apsw.Connection, finish: Callable[[Tables], list[str]]
) -> tuple[dict[str, int], list[str]]:
    saved: dict[str, int] = {}
    lost: list[str] = []
    target.pragma("foreign_keys", False)  # noqa: FBT003 - the pragma's value, given by place in apsw
    with target:
        for table in _tables(target):
            saved[table], said = _carry(copy, target, table)
            lost += said
        lost += finish(Tables(target))
        for table in ("steps", "runs"):  # some of which may have been taken out again
            saved[table] = ask(target, f"SELECT count(*) FROM {table}")[0][0]  # noqa: S608 - a literal
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
