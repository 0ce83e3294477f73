"""Row scan of a damaged table that skips unreadable pages."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import apsw

from aurora.memory.model import is_readable_document
from aurora.memory.sqlite.rows import fetch_rows
from aurora.memory.sqlite.seals import SEALED_COLUMNS, compute_seal

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_READ_ERRORS = (apsw.Error, UnicodeDecodeError)
_MAX_PROBES = 2_000_000
_MAX_NAMED = 200

NAME_QUERIES: dict[str, tuple[str, str]] = {
    "chunks": ("SELECT id FROM chunks INDEXED BY sqlite_autoindex_chunks_1 ORDER BY id", '"%s"'),
    "runs": ("SELECT run FROM runs INDEXED BY sqlite_autoindex_runs_1 ORDER BY run", 'run "%s"'),
    "steps": ("SELECT run, seq FROM steps INDEXED BY sqlite_autoindex_steps_1 ORDER BY run, seq", 'run "%s", step %d'),
}
"""Table -> the query for the keys in its index, which is on other pages than the rows, and their display format."""

_SELECT_RECORD_NUMBERS = """
SELECT n FROM chunks INDEXED BY chunks_by_path WHERE path IS NULL
"""


@dataclass(slots=True)
class TableScan:
    """Result of a table scan.

    Attributes:
        table: its name.
        rejected: the number of implausible rows.
        gaps: unreadable ranges of row numbers, first and last.
        is_torn: the scan stopped before the end of the table.
        keys: the keys of the read rows, as in `NAME_QUERIES`.
    """

    table: str
    rejected: int = 0
    gaps: list[tuple[int, int]] = field(default_factory=list)
    is_torn: bool = False
    keys: set[tuple[Any, ...]] = field(default_factory=set)

    def add_key(self, row: Mapping[str, Any]) -> None:
        """Count a row, with its values by column, as read."""
        if self.table in NAME_QUERIES:
            self.keys.add(_make_key(row))

    def describe_losses(self, db: apsw.Connection) -> list[str]:
        """List the lost rows, by name where an index still contains the names."""
        named = self._name_losses(db)
        if named is not None:
            more = [f'{len(named) - _MAX_NAMED} more rows of "{self.table}"'] if len(named) > _MAX_NAMED else []
            return named[:_MAX_NAMED] + more
        losses = [f'rows {first} to {last} of "{self.table}"' for first, last in self.gaps if first <= last]
        if self.is_torn:
            losses.append(f'an unknown number of rows of "{self.table}"')
        if self.rejected:
            losses.append(f'{self.rejected} rows of "{self.table}" with implausible content')
        return losses

    def _name_losses(self, db: apsw.Connection) -> list[str] | None:
        """List the names of unread rows; None if they are unknown."""
        if self.table not in NAME_QUERIES:
            return None
        sql, form = NAME_QUERIES[self.table]
        try:
            keys = fetch_rows(db, sql)
            if self.table == "chunks":  # indexing restores the chunks of files
                own = {n for (n,) in fetch_rows(db, _SELECT_RECORD_NUMBERS)}
                numbers = dict(
                    fetch_rows(db, "SELECT id, n FROM chunks INDEXED BY sqlite_autoindex_chunks_1 ORDER BY id")
                )
                keys = [(id_,) for (id_,) in keys if numbers[id_] in own]
            if not self.keys <= set(keys):  # the index is damaged, too
                return None
            return [form % key for key in keys if key not in self.keys]
        except (*_READ_ERRORS, KeyError, TypeError):  # of a damaged index
            return None


def scan_rows(db: apsw.Connection, reading: TableScan, columns: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    """Yield the readable rows of a table in order.

    Args:
        db: the damaged database.
        reading: collects the result.
        columns: the columns; null if an older database lacks one.
    """
    existing, has_rowid = _read_layout(db, reading.table)
    if not existing:
        reading.is_torn = reading.table in {"chunks", "runs", "steps"}
        return
    is_sealed = "seal" in existing and reading.table in SEALED_COLUMNS
    wanted = ", ".join(f'"{name}"' if name in existing else "NULL" for name in (*columns, "seal"))
    scan = _scan_by_number if has_rowid else _scan_by_key
    for *row, seal in scan(db, reading, wanted):
        given = dict(zip(columns, row, strict=True))
        if reading.table == "chunks" and given["path"] is not None:
            continue
        if not is_plausible(given) or (is_sealed and not _matches_seal(reading.table, given, seal)):
            reading.rejected += 1
            continue
        reading.add_key(given)
        yield tuple(row)


def _matches_seal(table: str, row: Mapping[str, Any], seal: object) -> bool:
    """Check whether a row matches its checksum."""
    return seal == compute_seal(table, *(row[name] for name in SEALED_COLUMNS[table]))


def _read_layout(db: apsw.Connection, table: str) -> tuple[set[str], bool]:
    """Read the names of a table's stored columns, empty if unreadable, and whether its rows have numbers.

    A view or a virtual table in its place is left out, as are columns that an expression computes.
    """
    try:
        columns = fetch_rows(db, "SELECT name FROM pragma_table_xinfo(?) WHERE hidden = 0", (table,))
        kinds = fetch_rows(db, "SELECT type, wr FROM pragma_table_list WHERE schema = 'main' AND name = ?", (table,))
    except _READ_ERRORS:
        return set(), True
    if any(kind != "table" for kind, _ in kinds):
        return set(), True
    return {name for (name,) in columns}, not (kinds and kinds[0][1])


def _make_key(row: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return the key of a row, as the table's query in `NAME_QUERIES` selects it."""
    if "seq" in row:
        return row["run"], row["seq"]
    return (row.get("id") or row.get("run"),)


def is_plausible(row: Mapping[str, Any]) -> bool:
    """Check whether a row is complete and of this table; overflow pages may be missing."""
    if any(isinstance(value, str) and "\0" in value for value in row.values()):
        return False
    document = row.get("metadata") or row.get("document") or "{}"
    if not isinstance(document, str):
        return False
    try:
        return is_readable_document(document) and isinstance(json.loads(document), dict)
    except (TypeError, ValueError, RecursionError):
        return False


def _scan_by_number(db: apsw.Connection, reading: TableScan, wanted: str) -> Iterator[tuple[Any, ...]]:
    """Scan by row number, and row by row after an unreadable page."""
    scan = f"SELECT rowid, {wanted} FROM {reading.table} NOT INDEXED WHERE rowid >= ? ORDER BY rowid"
    at, last = 0, _get_last_number(db, reading.table)
    while True:
        begin = at
        try:
            # Not "greater than the last": SQLite would look that up on the unreadable page.
            for n, *row in db.execute(scan, (at,)):
                if int(str(n)) < at:  # a truncated page yields empty rows with the number 0
                    raise apsw.CorruptError
                at = int(str(n)) + 1
                yield tuple(row)
        except _READ_ERRORS:
            behind = _find_next_readable(db, reading.table, wanted, max(at, begin + 1), last)
            reading.gaps.append((at, last if behind is None else behind - 1))
            if behind is None:
                return
            at = behind
        else:
            return


def _find_next_readable(db: apsw.Connection, table: str, wanted: str, at: int, last: int) -> int | None:
    sql = f"SELECT {wanted} FROM {table} NOT INDEXED WHERE rowid = ?"
    for n in range(at, min(last, at + _MAX_PROBES) + 1):
        try:
            found = fetch_rows(db, sql, (n,))
        except _READ_ERRORS:
            continue
        if found:
            return n
    return None


def _get_last_number(db: apsw.Connection, table: str) -> int:
    """Return the greatest possible row number."""
    for sql in (
        f"SELECT max(rowid) FROM {table} NOT INDEXED",
        f"SELECT seq FROM sqlite_sequence WHERE name = '{table}'",
    ):
        try:
            rows = fetch_rows(db, sql)
        except _READ_ERRORS:
            continue
        if rows and rows[0][0] is not None:
            return int(rows[0][0])
    return 10_000


def _scan_by_key(db: apsw.Connection, reading: TableScan, wanted: str) -> Iterator[tuple[Any, ...]]:
    """Scan forward to an unreadable page, then backward to one."""
    seen: set[tuple[Any, ...]] = set()
    key = ", ".join(
        name for (name,) in fetch_rows(db, "SELECT name FROM pragma_table_info(?) WHERE pk > 0", (reading.table,))
    )
    back = ", ".join(f"{name} DESC" for name in key.split(", "))
    for order in (key, back):
        try:
            for row in db.execute(f"SELECT {wanted} FROM {reading.table} ORDER BY {order}"):
                if row not in seen:
                    seen.add(row)
                    yield row
        except _READ_ERRORS:
            reading.is_torn = True
        else:
            return
