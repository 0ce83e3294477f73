"""Questions to the database whose answers the reader knows the types of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Sequence

    import apsw


def fetch_rows(db: apsw.Connection, sql: str, bindings: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
    """All rows of a question; what is in the columns is known to whoever wrote the SQL."""
    return cast("list[tuple[Any, ...]]", db.execute(sql, tuple(bindings)).fetchall())
