"""What every part of the tables can do: put questions whose answers' types its SQL knows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import apsw


class Table:
    """Some of the tables, inside the transaction that is open; see `tables`."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def _fetch_rows(self, sql: str, *bindings: object) -> list[Any]:
        """All rows, as tuples."""
        return self._db.execute(sql, bindings).fetchall()

    def _fetch_column(self, sql: str, *bindings: object) -> list[Any]:
        """The values of a question with one column."""
        return [value for (value,) in self._fetch_rows(sql, *bindings)]

    def _fetch_value(self, sql: str, *bindings: object) -> Any:
        """The only value of a question that always has one."""
        ((value,),) = self._fetch_rows(sql, *bindings)
        return value
