"""Copy of an index into a database that never had one, next to its runs and metadata."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.memory.sqlite.connections import open_connection
from aurora.memory.sqlite.errors import translate_errors

if TYPE_CHECKING:
    from pathlib import Path

    import apsw

_TABLES = (
    *("files", "chunks", "vectors", "docs", "segments", "postings"),
    *("nodes", "refs", "edges", "graph_pending", "graph_gone", "graph_packed"),
)
_OWN_META = ("records_identity", "records_version")
"""Metadata of the repository's records, which are not copied."""
_COPY_META = """
INSERT OR REPLACE INTO facts (key, value)
SELECT key, value FROM staged.facts WHERE key NOT IN (SELECT value FROM json_each(?))
"""
_BUSY_TIMEOUT = 30.0


def copy_index(staged: Path, database: Path) -> bool:
    """Copy the index of a database into one that never had a chunk, in one transaction.

    Args:
        staged: a database of the current version without records, which no other process uses.
        database: the database to fill; its runs stay.

    Returns:
        False when it has or had chunks, whose numbers caches may know; nothing is changed then.

    Raises:
        Fault: TIMEOUT when another process writes for too long; see `sqlite.errors`.
    """
    with translate_errors(database):
        # No foreign keys: SQLite then copies rows as they are. Those of the copy were checked when they were written.
        db = open_connection(database, read_only=False, busy_timeout=_BUSY_TIMEOUT)
        try:
            db.pragma("foreign_keys", 0)
            db.execute("ATTACH ? AS staged", (str(staged),))
            db.execute("BEGIN IMMEDIATE")
            is_copied = _is_pristine(db) and all(_has_same_columns(db, table) for table in _TABLES)
            if is_copied:
                _copy_tables(db)
            db.execute("COMMIT")
        finally:
            db.close()
    return is_copied


def _is_pristine(db: apsw.Connection) -> bool:
    used = "SELECT 1 FROM sqlite_sequence WHERE name IN ('chunks', 'nodes', 'segments') AND seq > 0"
    return not any(db.execute(sql).fetchall() for sql in (used, "SELECT 1 FROM files LIMIT 1"))


def _has_same_columns(db: apsw.Connection, table: str) -> bool:
    both = [db.execute(f"PRAGMA {name}.table_info({table})").fetchall() for name in ("main", "staged")]
    return both[0] == both[1]


def _copy_tables(db: apsw.Connection) -> None:
    (before,) = db.execute("SELECT coalesce(max(CAST(value AS INTEGER)), 0) FROM facts WHERE key = 'generation'")
    for table in _TABLES:
        db.execute(f"INSERT INTO main.{table} SELECT * FROM staged.{table}")
    db.execute(_COPY_META, (f'["{_OWN_META[0]}", "{_OWN_META[1]}"]',))
    db.execute(
        "UPDATE facts SET value = CAST(max(CAST(value AS INTEGER), ?) + 1 AS TEXT) WHERE key = 'generation'", before
    )
