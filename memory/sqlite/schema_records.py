"""Schema of the record tables, and of what worktrees share."""

from __future__ import annotations

# The code that adds a record fills `remembered`, not a trigger: for a table with a trigger SQLite writes a statement
# journal per row, and inserting the chunks of files took a third longer.
RECORDS_SCHEMA = """
CREATE TABLE IF NOT EXISTS remembered (id TEXT PRIMARY KEY, at REAL NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS undo (
    n INTEGER PRIMARY KEY AUTOINCREMENT,
    at TEXT NOT NULL,
    action TEXT NOT NULL,
    summary TEXT NOT NULL,
    document TEXT NOT NULL
) STRICT;
"""

VIEWS_SCHEMA = """
CREATE TABLE IF NOT EXISTS shared_records (id TEXT PRIMARY KEY, digest BLOB NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS contents (
    n INTEGER PRIMARY KEY AUTOINCREMENT,
    path TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    rules TEXT NOT NULL,
    body BLOB NOT NULL,
    UNIQUE (path, sha256)
) STRICT;
"""
"""`shared_records` has the records of a view as both databases last had them. `contents` has parsed files that the tree
had before, the oldest first."""
