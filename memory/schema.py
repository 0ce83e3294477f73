"""The tables: born whole at the newest version, grown from an older one by numbered steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    import apsw

APPLICATION_ID = 0x41555241  # "AURA", so that `file` and we can tell our databases from others
VERSION = 1

# `n` is AUTOINCREMENT: a number is never used twice, so what follows the table (the vectors held in memory by a
# running server) needs to look at numbers above the last one it saw, and at nothing else, to find what is new.
WHOLE = """
CREATE TABLE facts (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE files (
    path TEXT PRIMARY KEY,
    language TEXT NOT NULL,
    size INTEGER NOT NULL,
    mtime_ns INTEGER NOT NULL,
    sha256 TEXT NOT NULL,
    parsed INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE chunks (
    n INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    type TEXT NOT NULL CHECK (type IN ('code', 'know', 'reas')),
    path TEXT REFERENCES files (path) ON DELETE CASCADE,
    start_line INTEGER NOT NULL,
    end_line INTEGER NOT NULL,
    symbol TEXT NOT NULL,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    language TEXT NOT NULL,
    text TEXT NOT NULL,
    metadata TEXT NOT NULL
) STRICT;
CREATE INDEX chunks_by_path ON chunks (path, type);
CREATE INDEX chunks_by_type ON chunks (type, language);
CREATE INDEX chunks_by_name ON chunks (name) WHERE name != '';

CREATE TABLE vectors (
    n INTEGER PRIMARY KEY REFERENCES chunks (n) ON DELETE CASCADE,
    type TEXT NOT NULL,
    body BLOB NOT NULL
) STRICT;

CREATE VIRTUAL TABLE code_words USING fts5 (
    symbol, path, text, content = '', contentless_delete = 1, tokenize = "unicode61 tokenchars '_'"
);
CREATE VIRTUAL TABLE prose_words USING fts5 (
    symbol, path, text, content = '', contentless_delete = 1, tokenize = 'porter unicode61'
);
CREATE TRIGGER chunks_gone AFTER DELETE ON chunks BEGIN
    DELETE FROM code_words WHERE OLD.type = 'code' AND rowid = OLD.n;
    DELETE FROM prose_words WHERE OLD.type != 'code' AND rowid = OLD.n;
END;

CREATE TABLE accesses (id TEXT NOT NULL, at REAL NOT NULL, PRIMARY KEY (id, at)) STRICT, WITHOUT ROWID;

CREATE TABLE runs (
    n INTEGER PRIMARY KEY AUTOINCREMENT,
    run TEXT NOT NULL UNIQUE,
    workflow TEXT NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    document TEXT NOT NULL
) STRICT;
CREATE TABLE steps (
    run TEXT NOT NULL REFERENCES runs (run) ON DELETE CASCADE,
    seq INTEGER NOT NULL,
    phase TEXT NOT NULL,
    at TEXT NOT NULL,
    document TEXT NOT NULL,
    PRIMARY KEY (run, seq)
) STRICT;
"""

STEPS: Mapping[int, str] = {}
"""Version N: the SQL that leads there from N - 1. A change of the tables is one entry here and the same in `WHOLE`."""


def version_of(db: apsw.Connection) -> int:
    """The version that the database says it has; 0 for one that is empty."""
    return int(db.pragma("user_version"))


def bear(db: apsw.Connection) -> None:
    """Make every table at the newest version, inside the transaction that is open."""
    db.execute(WHOLE)
    db.pragma("application_id", APPLICATION_ID)
    db.pragma("user_version", VERSION)


def grow(db: apsw.Connection, target: int = VERSION, steps: Mapping[int, str] = STEPS) -> None:
    """Lead an older database to `target`, one numbered step after the other, inside the transaction that is open."""
    for version in range(version_of(db) + 1, target + 1):
        db.execute(steps[version])
        db.pragma("user_version", version)
