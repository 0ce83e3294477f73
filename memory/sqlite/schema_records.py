"""The tables of upkeep: when a record was first kept, and what was done to records that can be taken back."""

from __future__ import annotations

# `remembered` is filled by whoever keeps a record, not by a trigger: for a table with one, SQLite notes before each row
# what it takes to undo that row alone, and the chunks of files took a third longer.
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
