"""Session: statements in one transaction of either database, and the base class of the tables.

All SQL of the tables is written once, in what both databases understand, and a few forms that one of them translates:

- `?1`, `?2`: the values. A list is compared by `= ANY(?1)` or `!= ALL(?1)`.
- `json_each(?1) AS asked`: the items of a list of lists, `asked.value ->> 0` in the order of `asked.key`.
- `CROSS JOIN t ON`, `INDEXED BY`: orders to SQLite's planner, whose statistics may be those of a small memory.
- `IS_JSON_OBJECT(column)`, and `IS_INTEGER(column)`, which only a damaged page of SQLite makes false.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

_MAX_KEY_BYTES = 2_000
"""An entry of PostgreSQL's indexes has at most 2,704 bytes."""
_KEPT_CHARS = 400
_DIGEST_BYTES = 16


class CorruptRowError(Exception):
    """Error of a row whose content is invalid in an intact database."""


class Session(Protocol):
    """Transaction of a database, as far as the tables need it."""

    def execute(self, sql: str, values: Sequence[object]) -> int:
        """Execute a statement; return the number of rows that it wrote."""

    def execute_many(self, sql: str, rows: Iterable[Sequence[object]]) -> int:
        """Execute a statement with the values of each row; return the number of rows that it wrote."""

    def insert_rows(self, table: str, columns: str, rows: Iterable[Sequence[object]], clause: str) -> int:
        """Insert many rows in as few statements as the database likes; return the number of new ones."""

    def fetch_rows(self, sql: str, values: Sequence[object]) -> list[Any]:
        """Fetch all rows of a query as tuples."""

    def iter_rows(self, sql: str, values: Sequence[object]) -> Iterator[Any]:
        """Yield the rows of a large result."""

    def get_next_number(self, table: str) -> int:
        """Return the next number of a table's rows; all above it are free too."""

    def raise_number(self, table: str, last: int) -> None:
        """Never give numbers up to this one again."""

    def pack_items(self, items: Iterable[Sequence[object]]) -> str:
        """Encode a list of lists for `json_each`."""

    def shorten_names(self) -> Session:
        """Return a session in which a text of any length may be a key, by shortening those that are too long."""

    def measure_tables(self) -> Mapping[str, int]:
        """Measure the bytes of each table, and of `free` pages."""

    def check_integrity(self, most: int) -> Sequence[str]:
        """Check what lies below the rows; return at most `most` messages."""

    def list_missing_objects(self) -> Sequence[str]:
        """List the missing tables and indexes."""

    def optimize(self) -> None:
        """Update the query planner's statistics after a large write."""


class Table:
    """Queries on some tables in the open transaction."""

    def __init__(self, db: Session) -> None:
        self._db = db

    def _execute(self, sql: str, *values: object) -> int:
        return self._db.execute(sql, values)

    def _execute_many(self, sql: str, rows: Iterable[Sequence[object]]) -> int:
        return self._db.execute_many(sql, rows)

    def _insert_rows(self, table: str, columns: str, rows: Iterable[Sequence[object]], clause: str = "") -> int:
        return self._db.insert_rows(table, columns, rows, clause)

    def _fetch_rows(self, sql: str, *values: object) -> list[Any]:
        return self._db.fetch_rows(sql, values)

    def _fetch_column(self, sql: str, *values: object) -> list[Any]:
        """Fetch the values of a query with one column."""
        return [value for (value,) in self._db.fetch_rows(sql, values)]

    def _fetch_value(self, sql: str, *values: object) -> Any:
        """Fetch the value of a query with exactly one row and column."""
        ((value,),) = self._db.fetch_rows(sql, values)
        return value

    def _iter_rows(self, sql: str, *values: object) -> Iterator[Any]:
        return self._db.iter_rows(sql, values)

    def _take_numbers(self, table: str, count: int = 1) -> int:
        """Return the first of `count` new numbers."""
        first = self._db.get_next_number(table)
        self._db.raise_number(table, first + count - 1)
        return first


class NameTable(Table):
    """Queries on tables with names of any length in their keys."""

    def __init__(self, db: Session) -> None:
        super().__init__(db.shorten_names())


def shorten_key(text: str) -> str:
    """Shorten a name for an index; a name of any program is its own key.

    Two long names get the same key only if their hashes are equal. A name is shortened when it is written and when it
    is looked up.
    """
    # A character has at most four bytes, so most names need not be encoded to be measured.
    if len(text) * 4 <= _MAX_KEY_BYTES or len(data := text.encode("utf-8", "surrogatepass")) <= _MAX_KEY_BYTES:
        return text
    return f"{text[:_KEPT_CHARS]}…{hashlib.blake2b(data, digest_size=_DIGEST_BYTES).hexdigest()}"


def fold_ascii(text: str) -> str:
    """Fold the letters that both databases fold in `lower`."""
    return "".join(character.lower() if character.isascii() else character for character in text)
