"""The tables of upkeep: when a record was first kept, and what was done to records that can be taken back."""

from __future__ import annotations

# `remembered` is filled by a trigger, so that whoever keeps a record, and in whatever way, need not think of it.
UPKEEP = """
CREATE TABLE IF NOT EXISTS remembered (id TEXT PRIMARY KEY, at REAL NOT NULL) STRICT, WITHOUT ROWID;
CREATE TRIGGER IF NOT EXISTS fact_kept AFTER INSERT ON chunks WHEN NEW.path IS NULL BEGIN
    INSERT OR IGNORE INTO remembered (id, at) VALUES (NEW.id, unixepoch('subsec'));
END;
CREATE TABLE IF NOT EXISTS undo (
    n INTEGER PRIMARY KEY AUTOINCREMENT,
    at TEXT NOT NULL,
    action TEXT NOT NULL,
    summary TEXT NOT NULL,
    document TEXT NOT NULL
) STRICT;
"""
