"""Database schema: the tables of a project, in a schema of PostgreSQL of its own."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import psycopg

EMPTY = "aurora"
"""Schema with the same tables, in which nothing ever is: a project that nobody has written to reads there."""

VERSION = 2
_MAX_NAME = 63
"""Bytes of a name in PostgreSQL, which cuts a longer one off without an error."""

_CREATE_LOCK = 0x41555241
"""Advisory lock of the creation: "AURA", as SQLite's application id."""

GRAPH_SCHEMA = """
CREATE TABLE nodes (
    n bigint NOT NULL,
    id text COLLATE "C" NOT NULL,
    path text COLLATE "C" NOT NULL,
    symbol text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    language text COLLATE "C" NOT NULL,
    start_line bigint NOT NULL,
    end_line bigint NOT NULL,
    parent bigint,
    PRIMARY KEY (n),
    UNIQUE (id)
);
CREATE INDEX nodes_by_name ON nodes (name);
CREATE INDEX nodes_by_path ON nodes (path, start_line);
CREATE INDEX nodes_by_symbol ON nodes (symbol);
CREATE INDEX nodes_by_parent ON nodes (parent) WHERE parent IS NOT NULL;

CREATE TABLE refs (
    n bigint NOT NULL,
    source bigint NOT NULL,
    kind bigint NOT NULL,
    name text COLLATE "C" NOT NULL,
    via text COLLATE "C" NOT NULL,
    line bigint NOT NULL,
    linked boolean NOT NULL DEFAULT false,
    PRIMARY KEY (n),
    FOREIGN KEY (source) REFERENCES nodes (n) ON DELETE CASCADE
);
CREATE INDEX refs_by_name ON refs (name);
CREATE INDEX refs_by_source ON refs (source);
CREATE INDEX refs_of_methods ON refs (n) WHERE via = 'methods';
CREATE INDEX refs_waiting ON refs (n) WHERE NOT linked;

CREATE TABLE edges (
    ref bigint NOT NULL,
    target bigint NOT NULL,
    source bigint NOT NULL,
    kind bigint NOT NULL,
    confidence double precision NOT NULL,
    how text COLLATE "C" NOT NULL,
    PRIMARY KEY (ref, target),
    FOREIGN KEY (ref) REFERENCES refs (n) ON DELETE CASCADE,
    FOREIGN KEY (target) REFERENCES nodes (n) ON DELETE CASCADE
);
CREATE INDEX edges_by_source ON edges (source, confidence DESC, kind);
CREATE INDEX edges_by_target ON edges (target, confidence DESC, kind);

CREATE TABLE graph_pending (
    name text COLLATE "C" NOT NULL PRIMARY KEY
);
CREATE TABLE graph_gone (
    path text COLLATE "C" NOT NULL PRIMARY KEY
);
CREATE TABLE graph_packed (
    generation bigint NOT NULL,
    body bytea NOT NULL,
    PRIMARY KEY (generation)
);
"""


# Text has the collation "C", which orders by code point as SQLite does, on every operating system.
_SCHEMA = f"""
CREATE TABLE schema_version (version integer NOT NULL);
INSERT INTO schema_version VALUES ({VERSION});

CREATE TABLE facts (
    key text COLLATE "C" NOT NULL,
    value text COLLATE "C" NOT NULL,
    PRIMARY KEY (key)
);

CREATE TABLE counters (
    name text COLLATE "C" NOT NULL,
    last bigint NOT NULL,
    PRIMARY KEY (name)
);

CREATE TABLE files (
    path text COLLATE "C" NOT NULL,
    language text COLLATE "C" NOT NULL,
    size bigint NOT NULL,
    mtime_ns bigint NOT NULL,
    sha256 text COLLATE "C" NOT NULL,
    parsed boolean NOT NULL,
    PRIMARY KEY (path)
);

CREATE TABLE chunks (
    n bigint NOT NULL,
    id text COLLATE "C" NOT NULL,
    type text COLLATE "C" NOT NULL CHECK (type IN ('code', 'know', 'reas')),
    path text COLLATE "C",
    start_line bigint NOT NULL,
    end_line bigint NOT NULL,
    symbol text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    language text COLLATE "C" NOT NULL,
    text text COLLATE "C" NOT NULL,
    metadata text COLLATE "C" NOT NULL,
    PRIMARY KEY (n),
    UNIQUE (id),
    FOREIGN KEY (path) REFERENCES files (path) ON DELETE CASCADE
);
CREATE INDEX chunks_by_path ON chunks (path, start_line);
CREATE INDEX chunks_by_name ON chunks (name) WHERE name != '';
CREATE INDEX chunks_of_records ON chunks (id) WHERE path IS NULL;

CREATE TABLE vectors (
    n bigint NOT NULL,
    type text COLLATE "C" NOT NULL,
    body bytea NOT NULL,
    PRIMARY KEY (n),
    FOREIGN KEY (n) REFERENCES chunks (n) ON DELETE CASCADE
);

CREATE TABLE docs (
    first_n bigint NOT NULL,
    last_n bigint NOT NULL,
    type text COLLATE "C" NOT NULL,
    path text COLLATE "C",
    body_length bigint NOT NULL,
    name_length bigint NOT NULL,
    path_length bigint NOT NULL,
    lengths bytea NOT NULL,
    PRIMARY KEY (first_n),
    UNIQUE (path),
    FOREIGN KEY (path) REFERENCES files (path) ON DELETE CASCADE
);

CREATE TABLE segments (
    segment bigint NOT NULL,
    first_n bigint NOT NULL,
    size bigint NOT NULL,
    PRIMARY KEY (segment)
);
CREATE TABLE postings (
    segment bigint NOT NULL,
    term text COLLATE "C" NOT NULL,
    body bytea NOT NULL,
    PRIMARY KEY (segment, term)
);

CREATE TABLE accesses (
    id text COLLATE "C" NOT NULL,
    at double precision NOT NULL,
    PRIMARY KEY (id, at)
);

CREATE TABLE runs (
    run text COLLATE "C" NOT NULL,
    n bigint GENERATED BY DEFAULT AS IDENTITY,
    workflow text COLLATE "C" NOT NULL,
    created_at text COLLATE "C" NOT NULL,
    updated_at text COLLATE "C" NOT NULL,
    status text COLLATE "C",
    document text COLLATE "C" NOT NULL,
    PRIMARY KEY (run)
);
CREATE INDEX runs_newest ON runs (n);
CREATE TABLE steps (
    run text COLLATE "C" NOT NULL,
    seq bigint NOT NULL,
    phase text COLLATE "C" NOT NULL,
    at text COLLATE "C" NOT NULL,
    document text COLLATE "C" NOT NULL,
    PRIMARY KEY (run, seq),
    FOREIGN KEY (run) REFERENCES runs (run) ON DELETE CASCADE
);

CREATE TABLE remembered (
    id text COLLATE "C" NOT NULL,
    at double precision NOT NULL,
    PRIMARY KEY (id)
);
CREATE TABLE undo (
    n bigint NOT NULL,
    at text COLLATE "C" NOT NULL,
    action text COLLATE "C" NOT NULL,
    summary text COLLATE "C" NOT NULL,
    document text COLLATE "C" NOT NULL,
    PRIMARY KEY (n)
);
CREATE TABLE shared_records (
    id text COLLATE "C" NOT NULL,
    digest bytea NOT NULL,
    PRIMARY KEY (id)
);
CREATE TABLE contents (
    path text COLLATE "C" NOT NULL,
    sha256 text COLLATE "C" NOT NULL,
    n bigint NOT NULL,
    rules text COLLATE "C" NOT NULL,
    body bytea NOT NULL,
    PRIMARY KEY (path, sha256)
);
{GRAPH_SCHEMA}
"""


TABLES: tuple[str, ...] = (
    "facts",
    "counters",
    "files",
    "chunks",
    "vectors",
    "docs",
    "segments",
    "postings",
    "accesses",
    "runs",
    "steps",
    "remembered",
    "undo",
    "shared_records",
    "contents",
    "nodes",
    "refs",
    "edges",
    "graph_pending",
    "graph_gone",
    "graph_packed",
)
"""Tables of a project, each after those that it refers to."""


def name_schema(project: str) -> str:
    """Name the schema of a project: readable for an operator, and never the same for two projects.

    No other object holds the names of the projects, so a dump of one schema restores all of a project.
    """
    name = f"{EMPTY}/{project}"
    if len(name) <= _MAX_NAME:
        return name
    digest = hashlib.blake2b(project.encode(), digest_size=16).hexdigest()
    return f"{name[: _MAX_NAME - len(digest) - 1]}~{digest}"  # no name of a project has a tilde


def create_schema(db: psycopg.Connection[Any], name: str) -> int:
    """Create a schema with all tables unless it exists, and all of it or nothing; return its version.

    Args:
        db: a connection, in a transaction or outside of one.
        name: `EMPTY`, or what `name_schema` returned.
    """
    with db.transaction():
        db.execute("SELECT pg_advisory_xact_lock($1)", (_CREATE_LOCK,))
        if read_version(db, name) is None:
            db.execute(f'CREATE SCHEMA IF NOT EXISTS "{name}"; SET LOCAL search_path TO "{name}"; {_SCHEMA}')
        return read_version(db, name) or 0


def has_schema(db: psycopg.Connection[Any], name: str) -> bool:
    """Check whether a schema has Aurora's tables."""
    return db.execute("SELECT to_regclass($1)", (f'"{name}".schema_version',)).fetchone() != (None,)


def read_version(db: psycopg.Connection[Any], name: str) -> int | None:
    """Read the version of a schema; None without one."""
    if not has_schema(db, name):
        return None
    row = db.execute(f'SELECT version FROM "{name}".schema_version').fetchone()
    return None if row is None else int(row[0])
