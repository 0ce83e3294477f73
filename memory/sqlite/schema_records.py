"""Schema of the record tables: creation times and undo log."""

from __future__ import annotations

# The code that adds a record fills `remembered`, not a trigger: for a table with a trigger SQLite writes a statement
# journal per row, and inserting the chunks of files took a third longer.
RECORDS_SCHEMA = """
CREATE TABLE IF NOT EXISTS remembered (id TEXT PRIMARY KEY, at REAL NOT NULL, seal BLOB) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS undo (
    n INTEGER PRIMARY KEY AUTOINCREMENT,
    at TEXT NOT NULL,
    action TEXT NOT NULL,
    summary TEXT NOT NULL,
    document TEXT NOT NULL,
    seal BLOB
) STRICT;
"""
