"""Session on an SQLite connection: see `memory.storage.session`."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import TYPE_CHECKING, Any

import apsw

from aurora.memory.storage.store import Tables

from . import schema

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

_FORMS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"!= ALL\((\?\d)\)"), r"NOT IN (SELECT value FROM json_each(\1))"),
    (re.compile(r"= ANY\((\?\d)\)"), r"IN (SELECT value FROM json_each(\1))"),
    (re.compile(r"IS_JSON_OBJECT\((\w+)\)"), r"(json_valid(\1) AND \1 GLOB '{*')"),
    (re.compile(r"IS_INTEGER\((\w+)\)"), r"typeof(\1) = 'integer'"),
)
_MEASURE_TABLES = """
SELECT coalesce(sqlite_schema.tbl_name, dbstat.name), sum(dbstat.pgsize)
FROM dbstat LEFT JOIN sqlite_schema ON sqlite_schema.name = dbstat.name WHERE dbstat.aggregate = TRUE GROUP BY 1
"""
_SELECT_LAST = "SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = ?1), (SELECT max(rowid) FROM {}), 0)"


class SqliteSession:
    """Session on a connection whose transaction the store begins and ends."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def execute(self, sql: str, values: Sequence[object]) -> int:
        """Execute a statement; return the number of rows that it wrote."""
        self._db.execute(_translate(sql), _encode_lists(values))
        return self._db.changes()

    def execute_many(self, sql: str, rows: Iterable[Sequence[object]]) -> int:
        """Execute a statement with the values of each row; return the number of rows that it wrote."""
        before = self._db.total_changes()
        self._db.executemany(_translate(sql), rows)
        return self._db.total_changes() - before

    def insert_rows(self, table: str, columns: str, rows: Iterable[Sequence[object]], clause: str) -> int:
        """Insert rows one by one, which is no slower here: nothing travels."""
        before = self._db.total_changes()
        self._db.executemany(_build_insert(table, columns, clause), rows)
        return self._db.total_changes() - before

    def fetch_rows(self, sql: str, values: Sequence[object]) -> list[Any]:
        """Fetch all rows of a query as tuples."""
        return self._db.execute(_translate(sql), _encode_lists(values)).fetchall()

    def iter_rows(self, sql: str, values: Sequence[object]) -> Iterator[Any]:
        """Yield the rows of a large result."""
        return iter(self._db.execute(_translate(sql), _encode_lists(values)))

    def get_next_number(self, table: str) -> int:
        """Return the next number of a table's rows, as AUTOINCREMENT gives it."""
        rows: list[Any] = self._db.execute(_SELECT_LAST.format(table), (table,)).fetchall()
        return int(rows[0][0]) + 1

    def raise_number(self, table: str, last: int) -> None:
        """Leave that to AUTOINCREMENT, which sees the numbers of the rows."""

    def pack_items(self, items: Iterable[Sequence[object]]) -> str:
        """Encode a list of lists for `json_each`."""
        return json.dumps(list(items))

    def shorten_names(self) -> SqliteSession:
        """Return this session: a key has any length."""
        return self

    def measure_tables(self) -> Mapping[str, int]:
        """Measure the bytes of each table with its indexes, and of free pages."""
        sizes: list[Any] = self._db.execute(_MEASURE_TABLES).fetchall()
        free: Any = self._db.pragma("freelist_count") * self._db.pragma("page_size")
        return dict(sizes) | {"free": int(free)}

    def check_integrity(self, most: int) -> Sequence[str]:
        """Run SQLite's integrity check; return at most `most` messages."""
        messages = [message for (message,) in self._db.execute(f"PRAGMA integrity_check({most})")]
        return [" ".join(str(message).split()) for message in messages if message != "ok"]

    def list_missing_objects(self) -> Sequence[str]:
        """List the missing tables and indexes."""
        existing = {name for (name,) in self._db.execute("SELECT name FROM sqlite_schema")}
        return sorted(list_expected_objects() - existing)

    def optimize(self) -> None:
        """Update the query planner's statistics after a large write."""
        self._db.pragma("optimize")


def build_tables(db: apsw.Connection) -> Tables:
    """Build the tables of a connection."""
    return Tables(SqliteSession(db))


def get_sqlite_version() -> str:
    """Return the version of the SQLite library."""
    return apsw.sqlite_lib_version()


def list_expected_objects() -> set[str]:
    """List the tables and indexes of a new database."""
    db = apsw.Connection(":memory:")
    try:
        schema.create_schema(db)
        return {str(name) for (name,) in db.execute("SELECT name FROM sqlite_schema")}
    finally:
        db.close()


@cache
def _translate(sql: str) -> str:
    for form, translation in _FORMS:
        sql = form.sub(translation, sql)
    return sql


@cache
def _build_insert(table: str, columns: str, clause: str) -> str:
    places = ", ".join("?" * (columns.count(",") + 1))
    return f"INSERT INTO {table} ({columns}) VALUES ({places}) {clause}"


def _encode_lists(values: Sequence[object]) -> Sequence[Any]:
    return [json.dumps(value) if isinstance(value, list) else value for value in values]
