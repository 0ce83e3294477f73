"""The file as SQLite sees it: pages, trees, and that every index says what its table says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import apsw

from ..upkeep_findings import Finding
from . import schema
from .rows import ask

if TYPE_CHECKING:
    from collections.abc import Iterator

_MOST = 20


def file_faults(db: apsw.Connection) -> Iterator[Finding]:
    """What SQLite complains of, and tables that are not there."""
    rows = ask(db, f"PRAGMA integrity_check({_MOST})")
    for (said,) in rows:
        if said != "ok":
            yield Finding("file", f"SQLite finds: {' '.join(str(said).split())}")
    there = {name for (name,) in ask(db, "SELECT name FROM sqlite_schema WHERE type IN ('table', 'index', 'trigger')")}
    for name in sorted(born() - there):
        yield Finding("file", f'"{name}" is missing from the database')


def born() -> set[str]:
    """The names of all that a new database has: tables, indexes, triggers."""
    db = apsw.Connection(":memory:")
    try:
        schema.bear(db)
        return {str(name) for (name,) in ask(db, "SELECT name FROM sqlite_schema")}
    finally:
        db.close()
