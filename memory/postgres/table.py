"""Base class of the table modules."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

from .keys import shorten_keys
from .statements import scope_statement

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import psycopg

    Connection = psycopg.Connection[tuple[Any, ...]]

_TAKE_NUMBERS = """
INSERT INTO counters (project, name, last) VALUES ($1, $2, $3::bigint)
ON CONFLICT (project, name) DO UPDATE SET last = counters.last + $3::bigint RETURNING last
"""
_ROWS_PER_STATEMENT = 5_000
"""Rows of one statement: their arrays stay below some tens of megabytes."""


class Table:
    """Queries on the rows of one project in the open transaction.

    In a statement `$1` is the project, and `$2` the first argument.
    """

    def __init__(self, db: Connection, project: int) -> None:
        self._db = db
        self._project = project

    def _execute(self, sql: str, *values: object) -> int:
        """Execute a statement; return the number of rows it wrote."""
        return self._db.execute(scope_statement(sql), (self._project, *self._prepare(values))).rowcount

    def _fetch_rows(self, sql: str, *values: object) -> list[Any]:
        """Fetch all rows as tuples."""
        return self._db.execute(scope_statement(sql), (self._project, *self._prepare(values))).fetchall()

    def _fetch_column(self, sql: str, *values: object) -> list[Any]:
        """Fetch the values of a query with one column."""
        return [value for (value,) in self._fetch_rows(sql, *values)]

    def _fetch_value(self, sql: str, *values: object) -> Any:
        """Fetch the value of a query with exactly one row and column."""
        ((value,),) = self._fetch_rows(sql, *values)
        return value

    def _iter_rows(self, sql: str, *values: object) -> Iterator[Any]:
        """Yield the rows of a large result, converted one by one."""
        yield from self._db.execute(scope_statement(sql), (self._project, *self._prepare(values)))

    def _take_numbers(self, name: str, count: int = 1) -> int:
        """Return the first of `count` new numbers, which are never reused."""
        return int(self._fetch_value(_TAKE_NUMBERS, name, count)) - count + 1

    def _prepare(self, values: tuple[object, ...]) -> tuple[object, ...]:
        """Prepare the arguments of a statement."""
        return values

    def _write_rows(self, sql: str, rows: Iterable[Sequence[object]]) -> int:
        """Execute a statement on the columns of many rows, as arrays; return the rows it wrote."""
        remaining, written = iter(rows), 0
        while part := list(islice(remaining, _ROWS_PER_STATEMENT)):
            written += self._execute(sql, *map(list, zip(*part, strict=True)))
        return written


class NameTable(Table):
    """Queries on tables with names of any length in their keys."""

    def _prepare(self, values: tuple[object, ...]) -> tuple[object, ...]:
        return tuple(map(shorten_keys, values))
