"""The tables: born whole at the newest version, grown from an older one by numbered steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import apsw

from .schema_graph import GRAPH_SCHEMA
from .schema_records import RECORDS_SCHEMA

APPLICATION_ID = 0x41555241  # "AURA", so that `file` and we can tell our databases from others
VERSION = 4

_DOCS = """
CREATE TABLE docs (
    first_n INTEGER PRIMARY KEY,
    last_n INTEGER NOT NULL,
    type TEXT NOT NULL,
    path TEXT UNIQUE REFERENCES files (path) ON DELETE CASCADE,
    body_length INTEGER NOT NULL,
    name_length INTEGER NOT NULL,
    path_length INTEGER NOT NULL,
    lengths BLOB NOT NULL
) STRICT;
CREATE TRIGGER facts_gone AFTER DELETE ON chunks WHEN OLD.path IS NULL BEGIN
    DELETE FROM docs WHERE first_n = OLD.n;
END;
"""
_POSTINGS = """
CREATE TABLE segments (
    segment INTEGER PRIMARY KEY AUTOINCREMENT,
    first_n INTEGER NOT NULL,
    postings INTEGER NOT NULL
) STRICT;
CREATE TABLE postings (
    n INTEGER PRIMARY KEY,
    segment INTEGER NOT NULL,
    term TEXT NOT NULL,
    body BLOB NOT NULL,
    UNIQUE (segment, term)
) STRICT;
"""
"""The words' index: `lexicon` reads it, `postings_read` says what is in a block; `term` is a block's first.

A segment comes first in the key: what is written together lies together. The other way round, every write would touch
a page for each of its terms, all over the table. The blocks lie beside the key: within it, they would spill from their
pages, and cost twice the reading."""

# `n` is AUTOINCREMENT: a number is never used twice, so what follows the table (the vectors held in memory by a
# running server) needs to look at numbers above the last one it saw, and at nothing else, to find what is new.
SCHEMA = f"""
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

{_DOCS}
{_POSTINGS}
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
{GRAPH_SCHEMA}
{RECORDS_SCHEMA}
"""

_TO_2 = f"""
DROP TRIGGER chunks_gone;
DROP TABLE code_words;
DROP TABLE prose_words;
{_DOCS}
CREATE TABLE segments (segment INTEGER PRIMARY KEY AUTOINCREMENT, postings INTEGER NOT NULL) STRICT;
CREATE TABLE postings (
    segment INTEGER NOT NULL, term TEXT NOT NULL, body BLOB NOT NULL, PRIMARY KEY (segment, term)
) STRICT, WITHOUT ROWID;
{GRAPH_SCHEMA}
{RECORDS_SCHEMA}
DELETE FROM files;
DELETE FROM chunks WHERE path IS NOT NULL;
INSERT INTO facts (key, value) VALUES ('index_state', 'outgrown')
    ON CONFLICT (key) DO UPDATE SET value = excluded.value;
INSERT INTO facts (key, value) VALUES ('generation', '1')
    ON CONFLICT (key) DO UPDATE SET value = CAST(value AS INTEGER) + 1;
"""  # noqa: S608 - made of constants
"""What files hold is read again by the next indexing; what only the memory knows stays."""

_TO_3 = f"""
DROP TRIGGER IF EXISTS fact_kept;
DROP TABLE postings;
DROP TABLE segments;
{_POSTINGS}
"""
"""A term had a row in each segment, where a row now holds as many terms as fill a page."""

_TO_4 = ""
"""Words lose other endings than before: all are counted anew, after this step and for those before it."""

MIGRATIONS: Mapping[int, str] = {2: _TO_2, 3: _TO_3, 4: _TO_4}
"""Version N: the SQL that leads there from N - 1. A change of the tables is one entry here and the same in `WHOLE`."""


def read_version(db: apsw.Connection) -> int:
    """The version that the database says it has; 0 for one that is empty."""
    return int(db.pragma("user_version"))


def create_schema(db: apsw.Connection) -> None:
    """Make every table at the newest version, inside the transaction that is open."""
    db.execute(SCHEMA)
    db.pragma("application_id", APPLICATION_ID)
    db.pragma("user_version", VERSION)


After = Mapping[int, Callable[[apsw.Connection], object]]
"""Version N: what SQL cannot do, in the same transaction."""


def migrate_schema(
    db: apsw.Connection, after: After, target: int = VERSION, steps: Mapping[int, str] = MIGRATIONS
) -> None:
    """Upgrade an older database to `target` by numbered migrations, inside the transaction that is open.

    Args:
        db: the connection.
        after: what SQL cannot do, by version.
        target: the version to reach.
        steps: the SQL of each version.
    """
    for version in range(read_version(db) + 1, target + 1):
        db.execute(steps[version])
        if version in after:
            after[version](db)
        db.pragma("user_version", version)
