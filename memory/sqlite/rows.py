"""Typed helper for SQL queries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Sequence

    import apsw


def fetch_rows(db: apsw.Connection, sql: str, bindings: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
    """Fetch all rows of a query; the caller knows the column types."""
    return cast("list[tuple[Any, ...]]", db.execute(sql, tuple(bindings)).fetchall())
