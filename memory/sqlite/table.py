"""Base class of the table modules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import apsw


class Table:
    """Queries on some tables in the open transaction; see `tables`."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def _fetch_rows(self, sql: str, *bindings: object) -> list[Any]:
        """Fetch all rows as tuples."""
        return self._db.execute(sql, bindings).fetchall()

    def _fetch_column(self, sql: str, *bindings: object) -> list[Any]:
        """Fetch the values of a query with one column."""
        return [value for (value,) in self._fetch_rows(sql, *bindings)]

    def _fetch_value(self, sql: str, *bindings: object) -> Any:
        """Fetch the value of a query with exactly one row and column."""
        ((value,),) = self._fetch_rows(sql, *bindings)
        return value
