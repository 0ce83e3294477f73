"""Transfer of readable rows from a damaged database to a new one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import apsw

from aurora.memory.sqlite.connections import open_connection
from aurora.memory.sqlite.pages import find_sealed_rows
from aurora.memory.sqlite.rows import fetch_rows
from aurora.memory.sqlite.seals import SEALED_COLUMNS, build_insert
from aurora.memory.sqlite.transaction import SqliteTables

from .readable_copy import open_readable_copy
from .rows import TableScan, scan_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from .readable_copy import ReadableCopy

REBUILT_TABLES = frozenset(
    {
        "contents",
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
        "shared_records",
        "vectors",
    }
)
"""Tables that indexing rebuilds from the files; every other table is irreplaceable."""

_PARENT_TABLES = ("remembered", "runs")
"""Copied first: creation times before chunks, runs before steps."""


def transfer_rows(
    damaged: Path, staged: Path, finish: Callable[[SqliteTables], list[str]], *, busy_timeout: float
) -> tuple[dict[str, int], list[str]]:
    """Transfer the irreplaceable rows; the damaged database is only copied.

    Args:
        damaged: the damaged database.
        staged: a new database with empty tables.
        finish: repairs the copied rows in the same transaction and returns what is lost.
        busy_timeout: the seconds to wait for a lock.

    Returns:
        The number of saved rows by table, and the names of what is lost.

    Raises:
        OSError: there is no space for a copy.
    """
    with open_readable_copy(damaged) as copy:
        target = open_connection(staged, read_only=False, busy_timeout=busy_timeout)
        try:
            found = _fill_tables(target, copy, finish) if copy else ({}, ["everything: the file contains no database"])
            target.pragma("journal_mode", "delete")
        finally:
            target.close()
    return found


def _fill_tables(
    target: apsw.Connection, copy: ReadableCopy, finish: Callable[[SqliteTables], list[str]]
) -> tuple[dict[str, int], list[str]]:
    saved: dict[str, int] = {}
    lost = list(copy.lost)
    target.pragma("foreign_keys", 0)
    columns = {name: _list_columns(target, name) for name in SEALED_COLUMNS}
    stray = find_sealed_rows(copy.image, columns) if copy.has_first_page else {}
    with target:
        for table in _list_tables(target):
            saved[table], losses = _transfer_table(copy.db, target, table, stray.get(table, ()))
            lost += losses
        lost += finish(SqliteTables(target))
        for table in ("steps", "runs"):  # `finish` may have removed some
            saved[table] = fetch_rows(target, f"SELECT count(*) FROM {table}")[0][0]
    return {table: count for table, count in saved.items() if count}, lost


def _list_columns(db: apsw.Connection, table: str) -> list[str]:
    return [name for (name,) in fetch_rows(db, "SELECT name FROM pragma_table_info(?)", (table,))]


def _list_tables(db: apsw.Connection) -> list[str]:
    rows = fetch_rows(
        db, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'sqlite_*' ORDER BY name"
    )
    names = [name for (name,) in rows if name not in REBUILT_TABLES]
    return sorted(names, key=lambda name: (name not in _PARENT_TABLES, name))


def _transfer_table(
    copy: apsw.Connection, target: apsw.Connection, table: str, stray: Iterable[Mapping[str, Any]]
) -> tuple[int, list[str]]:
    """Copy the rows of a table, also those that no tree leads to; return their number and the losses."""
    reading = TableScan(table)
    columns = [name for name in _list_columns(target, table) if name != "seal"]
    sql = build_insert(table, tuple(columns), "INSERT OR IGNORE")
    count = 0
    for row in scan_rows(copy, reading, columns):
        try:
            target.execute(sql, row)
            count += target.changes()
        except (apsw.ConstraintError, apsw.MismatchError):
            reading.rejected += 1
    for found in stray:
        target.execute(sql, tuple(found[name] for name in columns))
        if target.changes():
            count += 1
            reading.add_key(found)
    return count, reading.describe_losses(copy)
