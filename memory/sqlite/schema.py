"""Database schema: creation at the latest version."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .schema_graph import GRAPH_SCHEMA
from .schema_records import RECORDS_SCHEMA, VIEWS_SCHEMA

if TYPE_CHECKING:
    import apsw

APPLICATION_ID = 0x41555241  # "AURA", which identifies Aurora's databases
VERSION = 6
MAX_VERSION = 1_000
"""Version that no Aurora will have; a header with a greater one is damaged."""
DOCS = """
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
POSTINGS = """
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
"""Inverted index, read by `memory.text_index`; `term` is the first term of a block.

The segment comes first in the key, so that one write touches neighbouring pages; with the term first, every write would
touch a page per term. The blocks are outside of the key: inside, they would overflow their pages and double reads."""

# `n` is AUTOINCREMENT: a number is never reused, so a cache of the table (the vectors in a running server) finds new
# rows above the last number that it read.
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

{DOCS}
{POSTINGS}
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
{VIEWS_SCHEMA}
"""


def read_version(db: apsw.Connection) -> int:
    """Read the schema version; 0 for an empty database."""
    return int(db.pragma("user_version"))


def create_schema(db: apsw.Connection) -> None:
    """Create the schema at the latest version in the open transaction."""
    db.execute(SCHEMA)
    db.pragma("application_id", APPLICATION_ID)
    db.pragma("user_version", VERSION)
