"""Schema of the tables, once: in SQLite's words, which PostgreSQL gets translated."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

SCHEMA = """
CREATE TABLE facts (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE files (
    path TEXT PRIMARY KEY,
    language TEXT NOT NULL,
    size INTEGER NOT NULL,
    mtime_ns INTEGER NOT NULL,
    sha256 TEXT NOT NULL,
    parsed INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- A number is never reused, so a cache of the table (the vectors in a running server) finds new rows above the last
-- number that it read.
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
-- Inverted index, read by `memory.text_index`; `term` is the first term of a block. The segment comes first in the key,
-- so that one write touches neighbouring pages; with the term first, every write would touch a page per term. The
-- blocks are outside of the key: inside, they would overflow their pages and double reads.
CREATE TABLE segments (
    segment INTEGER PRIMARY KEY AUTOINCREMENT,
    first_n INTEGER NOT NULL,
    postings INTEGER NOT NULL
) STRICT;
CREATE TABLE postings (
    segment INTEGER NOT NULL,
    term TEXT NOT NULL,
    body BLOB NOT NULL,
    UNIQUE (segment, term)
) STRICT;
CREATE TABLE accesses (id TEXT NOT NULL, at REAL NOT NULL, PRIMARY KEY (id, at)) STRICT, WITHOUT ROWID;

-- `status` repeats a text of the document, which is on other pages where it is long.
CREATE TABLE runs (
    n INTEGER PRIMARY KEY AUTOINCREMENT,
    run TEXT NOT NULL UNIQUE,
    workflow TEXT NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    status TEXT,
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
-- A reference contains everything that its own file says about it (`via`), so linking it again needs only the nodes of
-- its name. `graph_pending` contains names whose references need linking, `graph_gone` files whose nodes need removal
-- unless they are written again first; both are filled in the same transaction, so a kill loses nothing.
CREATE TABLE nodes (
    n INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    path TEXT NOT NULL,
    symbol TEXT NOT NULL,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    language TEXT NOT NULL,
    start_line INTEGER NOT NULL,
    end_line INTEGER NOT NULL,
    parent INTEGER
) STRICT;
CREATE INDEX nodes_by_name ON nodes (name);
CREATE INDEX nodes_by_path ON nodes (path, start_line);
CREATE INDEX nodes_of_files ON nodes (path) WHERE symbol = '';
CREATE INDEX nodes_of_go ON nodes (kind) WHERE language = 'go';
CREATE INDEX nodes_by_parent ON nodes (parent) WHERE parent IS NOT NULL;

CREATE TABLE refs (
    n INTEGER PRIMARY KEY,
    source INTEGER NOT NULL REFERENCES nodes (n) ON DELETE CASCADE,
    kind INTEGER NOT NULL,
    name TEXT NOT NULL,
    via TEXT NOT NULL,
    line INTEGER NOT NULL,
    linked INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX refs_by_name ON refs (name);
CREATE INDEX refs_by_source ON refs (source);
CREATE INDEX refs_of_methods ON refs (n) WHERE via = 'methods';
CREATE INDEX refs_waiting ON refs (n) WHERE linked = 0;

CREATE TABLE edges (
    ref INTEGER NOT NULL REFERENCES refs (n) ON DELETE CASCADE,
    target INTEGER NOT NULL REFERENCES nodes (n) ON DELETE CASCADE,
    source INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    confidence REAL NOT NULL,
    how TEXT NOT NULL,
    PRIMARY KEY (ref, target)
) STRICT, WITHOUT ROWID;
CREATE INDEX edges_by_source ON edges (source, confidence DESC, kind);
CREATE INDEX edges_by_target ON edges (target, confidence DESC, kind);

CREATE TABLE graph_pending (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
CREATE TABLE graph_gone (path TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
CREATE TABLE graph_packed (
    generation INTEGER PRIMARY KEY,
    body BLOB NOT NULL
) STRICT;
-- No trigger fills these tables: for a table with one SQLite writes a statement journal per row, and inserting the
-- chunks of files took a third longer.
CREATE TABLE remembered (id TEXT PRIMARY KEY, at REAL NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE undo (
    n INTEGER PRIMARY KEY AUTOINCREMENT,
    at TEXT NOT NULL,
    action TEXT NOT NULL,
    summary TEXT NOT NULL,
    document TEXT NOT NULL
) STRICT;
-- The records of a view as both databases last had them.
CREATE TABLE shared_records (id TEXT PRIMARY KEY, digest BLOB NOT NULL) STRICT, WITHOUT ROWID;
-- Parsed files that the tree had before, the oldest first.
CREATE TABLE contents (
    n INTEGER PRIMARY KEY AUTOINCREMENT,
    path TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    rules TEXT NOT NULL,
    body BLOB NOT NULL,
    UNIQUE (path, sha256)
) STRICT;
"""

# The types that each column must have are read from the schema itself, so that a check cannot disagree with it.
_TABLE = re.compile(r"CREATE TABLE (\w+) \((.*?)\) STRICT", re.DOTALL)
_COLUMN = re.compile(r"(?:^|[\n,(])\s*(\w+) (INTEGER|TEXT|REAL|BLOB)\b")


def read_column_types() -> Mapping[str, Mapping[str, str]]:
    """Read the type of each column from the schema, by table."""
    return {table: dict(_COLUMN.findall(body)) for table, body in _TABLE.findall(SCHEMA)}
