"""Transfer of readable rows from a damaged database to a new one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import apsw

from aurora.memory.sqlite.connections import open_connection
from aurora.memory.sqlite.pages import iter_sealed_rows
from aurora.memory.sqlite.rows import fetch_rows
from aurora.memory.sqlite.seals import SEALED_COLUMNS, build_insert
from aurora.memory.sqlite.transaction import SqliteTables

from .readable_copy import open_readable_copy
from .rows import TableScan, is_plausible, scan_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
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
        finally:
            target.close()
    return found


def _fill_tables(
    target: apsw.Connection, copy: ReadableCopy, finish: Callable[[SqliteTables], list[str]]
) -> tuple[dict[str, int], list[str]]:
    lost = list(copy.lost)
    target.pragma("foreign_keys", 0)
    with target:
        transfers = [_Transfer(target, table) for table in _list_tables(target)]
        for transfer in transfers:
            transfer.copy_table(copy.db)
        if copy.has_first_page:
            _insert_stray_rows(transfers, copy, {name: _list_columns(target, name) for name in SEALED_COLUMNS})
        for transfer in transfers:
            lost += transfer.reading.describe_losses(copy.db)
        lost += finish(SqliteTables(target))
        saved = {transfer.reading.table: transfer.count for transfer in transfers}
        for table in ("steps", "runs"):  # `finish` may have removed some
            saved[table] = fetch_rows(target, f"SELECT count(*) FROM {table}")[0][0]
    return {table: count for table, count in saved.items() if count}, lost


def _insert_stray_rows(
    transfers: Sequence[_Transfer], copy: ReadableCopy, columns: Mapping[str, Sequence[str]]
) -> None:
    """Insert the rows that no tree leads to, or whose table has another name."""
    by_table = {transfer.reading.table: transfer for transfer in transfers}
    for table, row in iter_sealed_rows(copy.pages, columns):
        by_table[table].insert_stray(row)


def _list_columns(db: apsw.Connection, table: str) -> list[str]:
    return [name for (name,) in fetch_rows(db, "SELECT name FROM pragma_table_info(?)", (table,))]


def _list_tables(db: apsw.Connection) -> list[str]:
    rows = fetch_rows(
        db, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'sqlite_*' ORDER BY name"
    )
    names = [name for (name,) in rows if name not in REBUILT_TABLES]
    return sorted(names, key=lambda name: (name not in _PARENT_TABLES, name))


class _Transfer:
    """Transfer of one table.

    Attributes:
        reading: what was read of the damaged table.
        count: the number of saved rows.
    """

    def __init__(self, target: apsw.Connection, table: str) -> None:
        self.reading = TableScan(table)
        self.count = 0
        self._target = target
        self._columns = [name for name in _list_columns(target, table) if name != "seal"]
        self._insert = build_insert(table, tuple(self._columns), "INSERT OR IGNORE")

    def copy_table(self, copy: apsw.Connection) -> None:
        """Copy the readable rows of the table."""
        for row in scan_rows(copy, self.reading, self._columns):
            try:
                self._target.execute(self._insert, row)
                self.count += self._target.changes()
            except (apsw.ConstraintError, apsw.MismatchError):
                self.reading.rejected += 1

    def insert_stray(self, row: Mapping[str, Any]) -> None:
        """Insert a row that was found by its checksum, unless it is there or is no row that Aurora writes."""
        if not is_plausible(row):
            return
        self._target.execute(self._insert, tuple(row[name] for name in self._columns))
        if self._target.changes():
            self.count += 1
            self.reading.add_key(row)
