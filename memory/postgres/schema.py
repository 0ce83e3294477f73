"""Database schema: every table, with the project first in each key."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import psycopg

NAMESPACE = "aurora"
"""PostgreSQL schema of the tables."""


VERSION = 1


_CREATE_LOCK = 0x41555241
"""Advisory lock of the creation: "AURA", as SQLite's application id."""

GRAPH_SCHEMA = """
CREATE TABLE nodes (
    project bigint NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
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
    PRIMARY KEY (project, n),
    UNIQUE (project, id)
);
CREATE INDEX nodes_by_name ON nodes (project, name);
CREATE INDEX nodes_by_path ON nodes (project, path, start_line);
CREATE INDEX nodes_by_symbol ON nodes (project, symbol);
CREATE INDEX nodes_by_parent ON nodes (project, parent) WHERE parent IS NOT NULL;

CREATE TABLE refs (
    project bigint NOT NULL,
    n bigint NOT NULL,
    source bigint NOT NULL,
    kind bigint NOT NULL,
    name text COLLATE "C" NOT NULL,
    via text COLLATE "C" NOT NULL,
    line bigint NOT NULL,
    linked boolean NOT NULL DEFAULT false,
    PRIMARY KEY (project, n),
    FOREIGN KEY (project, source) REFERENCES nodes (project, n) ON DELETE CASCADE
);
CREATE INDEX refs_by_name ON refs (project, name);
CREATE INDEX refs_by_source ON refs (project, source);
CREATE INDEX refs_of_methods ON refs (project, n) WHERE via = 'methods';
CREATE INDEX refs_waiting ON refs (project, n) WHERE NOT linked;

CREATE TABLE edges (
    project bigint NOT NULL,
    ref bigint NOT NULL,
    target bigint NOT NULL,
    source bigint NOT NULL,
    kind bigint NOT NULL,
    confidence double precision NOT NULL,
    how text COLLATE "C" NOT NULL,
    PRIMARY KEY (project, ref, target),
    FOREIGN KEY (project, ref) REFERENCES refs (project, n) ON DELETE CASCADE,
    FOREIGN KEY (project, target) REFERENCES nodes (project, n) ON DELETE CASCADE
);
CREATE INDEX edges_by_source ON edges (project, source, confidence DESC, kind);
CREATE INDEX edges_by_target ON edges (project, target, confidence DESC, kind);

CREATE TABLE graph_pending (
    project bigint NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    name text COLLATE "C" NOT NULL,
    PRIMARY KEY (project, name)
);
CREATE TABLE graph_gone (
    project bigint NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    path text COLLATE "C" NOT NULL,
    PRIMARY KEY (project, path)
);
CREATE TABLE graph_packed (
    project bigint NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    generation bigint NOT NULL,
    body bytea NOT NULL,
    PRIMARY KEY (project, generation)
);
"""


# Text has the collation "C", which orders by code point as SQLite does, on every operating system.
_SCHEMA = f"""
CREATE SCHEMA IF NOT EXISTS {NAMESPACE};
SET LOCAL search_path TO {NAMESPACE};

CREATE TABLE schema_version (version integer NOT NULL);
INSERT INTO schema_version VALUES ({VERSION});

CREATE TABLE projects (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text COLLATE "C" NOT NULL UNIQUE
);

CREATE TABLE facts (
    project bigint NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    key text COLLATE "C" NOT NULL,
    value text COLLATE "C" NOT NULL,
    PRIMARY KEY (project, key)
);

CREATE TABLE counters (
    project bigint NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    name text COLLATE "C" NOT NULL,
    last bigint NOT NULL,
    PRIMARY KEY (project, name)
);

CREATE TABLE files (
    project bigint NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    path text COLLATE "C" NOT NULL,
    language text COLLATE "C" NOT NULL,
    size bigint NOT NULL,
    mtime_ns bigint NOT NULL,
    sha256 text COLLATE "C" NOT NULL,
    parsed boolean NOT NULL,
    PRIMARY KEY (project, path)
);

CREATE TABLE chunks (
    project bigint NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
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
    PRIMARY KEY (project, n),
    UNIQUE (project, id),
    FOREIGN KEY (project, path) REFERENCES files (project, path) ON DELETE CASCADE
);
CREATE INDEX chunks_by_path ON chunks (project, path, start_line);
CREATE INDEX chunks_by_name ON chunks (project, name) WHERE name != '';
CREATE INDEX chunks_of_records ON chunks (project, id) WHERE path IS NULL;

CREATE TABLE vectors (
    project bigint NOT NULL,
    n bigint NOT NULL,
    type text COLLATE "C" NOT NULL,
    body bytea NOT NULL,
    PRIMARY KEY (project, n),
    FOREIGN KEY (project, n) REFERENCES chunks (project, n) ON DELETE CASCADE
);

CREATE TABLE docs (
    project bigint NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    first_n bigint NOT NULL,
    last_n bigint NOT NULL,
    type text COLLATE "C" NOT NULL,
    path text COLLATE "C",
    body_length bigint NOT NULL,
    name_length bigint NOT NULL,
    path_length bigint NOT NULL,
    lengths bytea NOT NULL,
    PRIMARY KEY (project, first_n),
    UNIQUE (project, path),
    FOREIGN KEY (project, path) REFERENCES files (project, path) ON DELETE CASCADE
);

CREATE TABLE segments (
    project bigint NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    segment bigint NOT NULL,
    first_n bigint NOT NULL,
    size bigint NOT NULL,
    PRIMARY KEY (project, segment)
);
CREATE TABLE postings (
    project bigint NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    segment bigint NOT NULL,
    term text COLLATE "C" NOT NULL,
    body bytea NOT NULL,
    PRIMARY KEY (project, segment, term)
);

CREATE TABLE accesses (
    project bigint NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    id text COLLATE "C" NOT NULL,
    at double precision NOT NULL,
    PRIMARY KEY (project, id, at)
);

CREATE TABLE runs (
    project bigint NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    run text COLLATE "C" NOT NULL,
    n bigint GENERATED BY DEFAULT AS IDENTITY,
    workflow text COLLATE "C" NOT NULL,
    created_at text COLLATE "C" NOT NULL,
    updated_at text COLLATE "C" NOT NULL,
    status text COLLATE "C",
    document text COLLATE "C" NOT NULL,
    PRIMARY KEY (project, run)
);
CREATE INDEX runs_newest ON runs (project, n);
CREATE TABLE steps (
    project bigint NOT NULL,
    run text COLLATE "C" NOT NULL,
    seq bigint NOT NULL,
    phase text COLLATE "C" NOT NULL,
    at text COLLATE "C" NOT NULL,
    document text COLLATE "C" NOT NULL,
    PRIMARY KEY (project, run, seq),
    FOREIGN KEY (project, run) REFERENCES runs (project, run) ON DELETE CASCADE
);

CREATE TABLE remembered (
    project bigint NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    id text COLLATE "C" NOT NULL,
    at double precision NOT NULL,
    PRIMARY KEY (project, id)
);
CREATE TABLE undo (
    project bigint NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    n bigint NOT NULL,
    at text COLLATE "C" NOT NULL,
    action text COLLATE "C" NOT NULL,
    summary text COLLATE "C" NOT NULL,
    document text COLLATE "C" NOT NULL,
    PRIMARY KEY (project, n)
);
CREATE TABLE shared_records (
    project bigint NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    id text COLLATE "C" NOT NULL,
    digest bytea NOT NULL,
    PRIMARY KEY (project, id)
);
CREATE TABLE contents (
    project bigint NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    path text COLLATE "C" NOT NULL,
    sha256 text COLLATE "C" NOT NULL,
    n bigint NOT NULL,
    rules text COLLATE "C" NOT NULL,
    body bytea NOT NULL,
    PRIMARY KEY (project, path, sha256)
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


def create_schema(db: psycopg.Connection[tuple[object, ...]]) -> int:
    """Create the schema unless it exists, in one transaction; return its version.

    Args:
        db: a connection outside of a transaction.
    """
    with db.transaction():
        db.execute("SELECT pg_advisory_xact_lock($1)", (_CREATE_LOCK,))
        if read_version(db) is None:
            db.execute(_SCHEMA, prepare=False)
        return read_version(db) or 0


def read_version(db: psycopg.Connection[tuple[object, ...]]) -> int | None:
    """Read the version of the schema; None without a schema."""
    if db.execute("SELECT to_regclass($1)", (f"{NAMESPACE}.schema_version",)).fetchone() == (None,):
        return None
    row = db.execute(f"SELECT version FROM {NAMESPACE}.schema_version").fetchone()
    return None if row is None else int(str(row[0]))
