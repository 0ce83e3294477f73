"""What every part of the tables can do: put questions whose answers' types its SQL knows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import apsw


class Part:
    """Some of the tables, inside the transaction that is open; see `tables`."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def _all(self, sql: str, *bindings: object) -> list[Any]:
        """All rows, as tuples."""
        return self._db.execute(sql, bindings).fetchall()

    def _column(self, sql: str, *bindings: object) -> list[Any]:
        """The values of a question with one column."""
        return [value for (value,) in self._all(sql, *bindings)]

    def _one(self, sql: str, *bindings: object) -> Any:
        """The only value of a question that always has one."""
        ((value,),) = self._all(sql, *bindings)
        return value
