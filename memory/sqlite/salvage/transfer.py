"""Carries what can still be read of a torn database into a new one, table by table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import apsw

from aurora.memory.sqlite.connection import open_connection
from aurora.memory.sqlite.rows import fetch_rows
from aurora.memory.sqlite.tables import Tables

from .readable_copy import open_readable_copy
from .rows import TableScan, scan_rows

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

REBUILT_TABLES = frozenset(
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

_PARENT_TABLES = ("remembered", "runs")
"""Before a chunk enters, it must be known when it was first kept; before a step, its run."""


def transfer_rows(
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
    with open_readable_copy(torn) as copy:
        target = open_connection(staged, read_only=False, patience=patience)
        try:
            found = (
                _fill_tables(target, copy, finish) if copy else ({}, ["everything: nothing in the file is a database"])
            )
            target.pragma("journal_mode", "delete")
        finally:
            target.close()
    return found


def _fill_tables(
    target: apsw.Connection, copy: apsw.Connection, finish: Callable[[Tables], list[str]]
) -> tuple[dict[str, int], list[str]]:
    saved: dict[str, int] = {}
    lost: list[str] = []
    target.pragma("foreign_keys", False)  # noqa: FBT003 - the pragma's value, given by place in apsw
    with target:
        for table in _list_tables(target):
            saved[table], said = _transfer_table(copy, target, table)
            lost += said
        lost += finish(Tables(target))
        for table in ("steps", "runs"):  # some of which may have been taken out again
            saved[table] = fetch_rows(target, f"SELECT count(*) FROM {table}")[0][0]  # noqa: S608 - a literal
    return {table: count for table, count in saved.items() if count}, lost


def _list_tables(db: apsw.Connection) -> list[str]:
    rows = fetch_rows(
        db, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'sqlite_*' ORDER BY name"
    )
    names = [name for (name,) in rows if name not in REBUILT_TABLES]
    return sorted(names, key=lambda name: (name not in _PARENT_TABLES, name))


def _transfer_table(copy: apsw.Connection, target: apsw.Connection, table: str) -> tuple[int, list[str]]:
    """Copy what can be read of a table; how many rows, and what is lost."""
    reading = TableScan(table)
    columns = [name for (name,) in fetch_rows(target, "SELECT name FROM pragma_table_info(?)", (table,))]
    marks = ", ".join("?" * len(columns))
    sql = f"INSERT OR IGNORE INTO {table} ({', '.join(columns)}) VALUES ({marks})"  # noqa: S608 - our own names
    count = 0
    for row in scan_rows(copy, reading, columns):
        try:
            target.execute(sql, row)
            count += target.changes()
        except (apsw.ConstraintError, apsw.MismatchError):
            reading.rejected += 1
    return count, reading.describe_losses(copy)
